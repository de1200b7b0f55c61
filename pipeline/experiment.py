"""One configuration, from dataset to score table. No Hydra, no MLflow, no adapter is named here.

    dataset -> tokens -> chunks -> vectors or index -> leg runs -> one chunk run -> documents; context -> scores

Every arrow is a stage with a key of its own (`pipeline.identity`); what is there already is not computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline import chunking, metrics, ranking
from pipeline.context.bare import places, whole_documents, width_for
from pipeline.identity import Experiment, Keys, keys
from pipeline.metrics import cuts
from pipeline.metrics.budget import found_within, kept_tokens
from pipeline.metrics.days import days
from pipeline.metrics.measured import measured, tie_facts
from pipeline.probe import answering, probe
from pipeline.protocols import (
    Clock,
    Embedder,
    External,
    Leg,
    Reporter,
    Stages,
    Tokenizer,
)  # fmt: skip
from pipeline.records import (
    Bools,
    Chunks,
    Context,
    Dataset,
    Reading,
    Retrieved,
    Run,
    ScoreTable,
    Stop,
    TokenOffsets,
    Vectors,
)  # fmt: skip
from pipeline.storage.arrays import save_arrays
from pipeline.storage.offsets import load_offsets, load_reading, save_offsets, save_reading
from pipeline.storage.retrieved import load_retrieved, save_retrieved
from pipeline.storage.scored import Scored, load_scored, save_scored
from pipeline.storage.stage_keys import index_key, leg_key, queries_key, reading_key, tokens_key, vectors_key


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment brought."""

    retrieved: Retrieved
    scored: Scored
    keys: Keys

    @property
    def scores(self) -> ScoreTable:
        """Every measure for every query."""
        return self.scored.table

    @property
    def facts(self) -> Mapping[str, float]:
        """What retrieval and scoring found besides."""
        return {**self.retrieved.facts, **self.scored.facts}


def run(spec: Experiment, dataset: Dataset, *, stages: Stages, reporter: Reporter, clock: Clock) -> Result:
    """Everything that `spec` brings on `dataset`; what is in `stages` already is not computed again."""
    known = keys(spec, dataset.digests)
    work = _Work(spec, dataset, stages, reporter, clock, known)
    retrieved = stages.get(known.retrieved, work.retrieve, save_retrieved, load_retrieved)
    scored = stages.get(known.scores, lambda: work.score(retrieved), save_scored, load_scored)
    return Result(retrieved, scored, known)


@dataclass(frozen=True, eq=False)
class _Work:
    """One run of one experiment: what the stages compute."""

    spec: Experiment
    dataset: Dataset
    stages: Stages
    reporter: Reporter
    clock: Clock
    keys: Keys

    def retrieve(self) -> Retrieved:
        retriever = self.spec.retriever
        if isinstance(retriever, External):
            return self._external(retriever)
        chunks = self._chunks()
        texts = chunking.index_texts(chunks, self.dataset.corpus.texts)
        stop = Stop(chunks.doc, self.spec.depth)
        indexes = [self._index(leg, chunks, texts) for leg in retriever.legs]
        vectors = [self._query_vectors(leg) for leg in retriever.legs]
        legs = [
            self._leg_run(leg, index, vector, stop)
            for leg, index, vector in zip(retriever.legs, indexes, vectors, strict=True)
        ]
        plain = retriever.fuse(legs, chunks.doc)
        fused = self._newer_first(plain, chunks)
        documents = ranking.cut(ranking.fold(fused, chunks.doc), self.spec.depth)
        answer = answering(retriever, indexes, stop)
        timed = probe(answer, self.dataset.queries.texts, self.spec.probes, self.spec.seed, self.clock)
        facts = self._facts(retriever.legs, indexes, chunks, texts, documents)
        facts |= self._left_out(ranking.cut(ranking.fold(plain, chunks.doc), self.spec.depth))
        kept = ranking.cut(fused, width_for(fused, chunks, kept_tokens(self.spec.measures)))
        return Retrieved(kept, documents, places(kept, chunks), timed.milliseconds, facts, timed.machine)

    def score(self, retrieved: Retrieved) -> Scored:
        spec, queries = self.spec, self.dataset.queries
        case = metrics.Case(
            query_ids=queries.ids,
            documents=retrieved.documents,
            qrels=self.dataset.qrels,
            context=self._assembled(retrieved),
            tokens=self._tokens(self.spec.budget_tokenizer),
            spans=self.dataset.spans,
            dates=self.dataset.corpus.dates,
            as_of=days(spec.as_of, queries),
            weight=queries.weight,
        )
        found = measured(
            spec.measures,
            case,
            spec.options,
            budget=found_within(spec.measures),
            depth=spec.depth,
            answerable=queries.answerable,
        )
        straddled = self._straddled()
        facts = {"straddle_rate": float(straddled.mean())} if straddled.size else {}
        if spec.ties == "range":
            facts |= tie_facts(spec.measures, case, spec.options)
        return Scored(found.table, found.curves, {**found.facts, **facts}, found.held, straddled)

    def _assembled(self, retrieved: Retrieved) -> Context:
        if isinstance(self.spec.retriever, External):
            return retrieved.context
        tokens = self._tokens(self.spec.budget_tokenizer)
        return self.spec.context.assemble(retrieved.chunks, self._chunks(), self.dataset.corpus.texts, tokens)

    def _straddled(self) -> Bools:
        spans = self.dataset.spans
        if isinstance(self.spec.retriever, External) or spans is None:
            return np.zeros(0, bool)
        return cuts.straddled(self._chunks(), spans)

    def _newer_first(self, run: Run, chunks: Chunks | None) -> Run:
        as_of, dates = days(self.spec.as_of, self.dataset.queries), self.dataset.corpus.dates
        if self.spec.decay is None or as_of is None:
            return run
        if chunks is None:
            return self.spec.decay.documents(run, dates, as_of)
        return self.spec.decay.chunks(run, chunks.doc, dates, as_of)

    def _left_out(self, documents: Run) -> dict[str, float]:
        """How many hits of the ranking as it was are dated after the day of their question, and left it for that."""
        as_of = days(self.spec.as_of, self.dataset.queries)
        if self.spec.decay is None or as_of is None:
            return {}
        return {"later_removed": float(self.spec.decay.excluded(documents, self.dataset.corpus.dates, as_of).sum())}

    def _tokens(self, tokenizer: Tokenizer) -> TokenOffsets:
        return self.stages.get(
            tokens_key(tokenizer, self.dataset.digests),
            lambda: tokenizer.offsets(self.dataset.corpus.texts),
            save_offsets,
            load_offsets,
        )

    def _chunks(self) -> Chunks:
        chunker = self.spec.chunker
        return self.stages.get(
            self.keys.chunks, lambda: chunking.cut(chunker, self.dataset.corpus, self._tokens(chunker.tokenizer))
        )

    def _index(self, leg: Leg, chunks: Chunks, texts: list[str]) -> Any:
        embedder = leg.embedder
        if embedder is None:
            return self.stages.get(index_key(leg, self.keys.chunks), lambda: leg.index(texts, None), leg.save, leg.load)
        return leg.index(texts, self._vectors(embedder, texts))

    def _vectors(self, embedder: Embedder, texts: list[str]) -> Vectors:
        def encode() -> Vectors:
            with self.reporter.stage(f"embed {len(texts):,} chunks with {embedder.name}", len(texts)) as progress:
                return embedder.encode(texts, "document", progress)

        # The vectors themselves lie with the embedder, a text at a time; the entry only says that they are all there.
        return self.stages.get(
            vectors_key(embedder, self.keys.chunks),
            encode,
            lambda vectors, folder: save_arrays(folder, {}, {"texts": len(vectors), "dim": vectors.shape[1]}),
            lambda _: encode(),
        )

    def _leg_run(self, leg: Leg, index: Any, vectors: Vectors | None, stop: Stop) -> Run:
        return self.stages.get(
            leg_key(leg, self.keys.chunks, self.dataset.digests, stop.depth),
            lambda: leg.search(index, self.dataset.queries.texts, vectors, stop),
        )

    def _query_vectors(self, leg: Leg) -> Vectors | None:
        embedder = leg.embedder
        if embedder is None:
            return None
        texts = self.dataset.queries.texts

        def encode() -> Vectors:
            with self.reporter.stage(f"embed {len(texts):,} queries with {embedder.name}", len(texts)) as progress:
                return embedder.encode(texts, "query", progress)

        return self.stages.get(queries_key(embedder, self.dataset.digests), encode)

    def _facts(
        self, legs: tuple[Leg, ...], indexes: list[Any], chunks: Chunks, texts: list[str], documents: Run
    ) -> dict[str, float]:
        facts = {
            "chunks": float(len(chunks.doc)),
            "duplication": cuts.duplication(chunks),
            "index_bytes": float(sum(leg.nbytes(index) for leg, index in zip(legs, indexes, strict=True))),
            "short_rankings": float(ranking.count_short(documents, min(self.spec.depth, len(np.unique(chunks.doc))))),
        }
        for leg in legs:
            if leg.embedder is not None:
                reading = self._reading(leg.embedder, texts)
                share = reading.read / reading.total if reading.total else 1.0
                if share > facts.get("read_share", 1.0):
                    continue  # of several models the one that reads least is told
                facts |= {"read_tokens": float(reading.read), "text_tokens": float(reading.total), "read_share": share}
                if reading.limit is not None:
                    facts["read_limit"] = float(reading.limit)
        return facts

    def _reading(self, embedder: Embedder, texts: list[str]) -> Reading:
        return self.stages.get(
            reading_key(embedder, self.keys.chunks), lambda: embedder.reading(texts), save_reading, load_reading
        )

    def _external(self, retriever: External) -> Retrieved:
        found = retriever.documents(self.dataset, self.spec.depth)
        documents = self._newer_first(found, None)
        context = whole_documents(documents, self.dataset.corpus.texts)
        facts = {"short_rankings": float(ranking.count_short(documents, self.spec.depth)), **self._left_out(found)}
        return Retrieved(documents, documents, context, np.zeros(0), facts, {})
