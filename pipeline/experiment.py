"""One configuration, from dataset to score table. No Hydra, no MLflow, no adapter is named here.

    dataset -> tokens -> chunks -> vectors or index -> leg runs -> one chunk run -> documents + context -> scores

Every arrow is a stage with a key that is known before anything is computed (`keys`), so a plan can say what is there
already, and two configurations that agree up to a stage share it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline import metrics, ranking
from pipeline.chunking import chunk_texts
from pipeline.errors import SettingError
from pipeline.probe import Probe, probe
from pipeline.protocols import Chunker, Clock, Embedder, External, Leg, Reporter, Retriever, Stages, Tokenizer
from pipeline.records import (
    Chunks,
    Context,
    Dataset,
    Digests,
    Reading,
    Retrieved,
    Run,
    ScoreTable,
    Stop,
    TokenOffsets,
    Vectors,
)
from pipeline.storage.arrays import load_array, load_meta, save_arrays
from pipeline.storage.fingerprint import stage_key
from pipeline.storage.retrieved import load_retrieved, save_retrieved
from pipeline.storage.scored import Scored, load_scored, save_scored

VERSION = 1  # of the way the stages are put together; part of every key
CONTEXT_TOKENS = 16_384  # context kept for the budget measures: twice the largest default budget
CURVE = (1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Experiment:
    """One configuration: its components and what is measured."""

    chunker: Chunker
    retriever: Retriever | External
    depth: int  # documents
    measures: tuple[metrics.Measure, ...]
    budget_tokenizer: Tokenizer  # the one tokenizer in which every experiment's context is counted
    options: metrics.Options = field(default_factory=metrics.Options)
    probes: int = 20  # queries timed one at a time; 0 = none
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks what no component can check by itself."""
        if self.depth < 1:
            raise SettingError(f"depth={self.depth}: documents to retrieve, expected 1 or more")
        for measure in self.measures:
            if measure.counted == "ranks" and measure.cutoff is not None and measure.cutoff > self.depth:
                raise SettingError(
                    f"measures: {measure} looks at {measure.cutoff} documents but depth={self.depth};"
                    f" raise depth to {measure.cutoff} or lower the cutoff"
                )


@dataclass(frozen=True)
class Keys:
    """The keys of an experiment's stages; `retrieved` and `scores` say whether two experiments are twins."""

    tokens: str
    chunks: str
    vectors: tuple[str, ...]  # one a leg with an embedder
    indexes: tuple[str, ...]  # one a leg without
    retrieved: str
    scores: str


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment brought."""

    retrieved: Retrieved
    scores: ScoreTable
    curves: Mapping[str, Mapping[int, float]]  # ndcg, recall -> cutoff -> mean
    keys: Keys


def keys(spec: Experiment, digests: Digests) -> Keys:
    """The keys of every stage of `spec` on the dataset with these digests."""
    tokens = _tokens_key(spec.chunker.tokenizer, digests)
    chunks = stage_key("chunks", VERSION, spec.chunker, tokens)
    legs = () if isinstance(spec.retriever, External) else spec.retriever.legs
    vectors = tuple(_vectors_key(leg.embedder, chunks) for leg in legs if leg.embedder is not None)
    indexes = tuple(_index_key(leg, chunks) for leg in legs if leg.embedder is None)
    # A run that comes from elsewhere knows no chunks: the chunker is not part of its key.
    upstream = (digests.corpus, digests.qrels) if isinstance(spec.retriever, External) else (chunks,)
    retrieved = stage_key(
        "retrieved",
        (VERSION, ranking.VERSION, CONTEXT_TOKENS),
        spec.retriever,
        upstream,
        digests.queries,
        (spec.depth, spec.probes, spec.seed if spec.probes else 0),
    )
    scores = stage_key(
        "scores",
        (VERSION, metrics.VERSION),
        retrieved,
        [str(measure) for measure in spec.measures],
        spec.options,
        (digests.qrels, digests.spans, _tokens_key(spec.budget_tokenizer, digests)),
    )
    return Keys(tokens, chunks, vectors, indexes, retrieved, scores)


def run(spec: Experiment, dataset: Dataset, *, stages: Stages, reporter: Reporter, clock: Clock) -> Result:
    """Everything that `spec` brings on `dataset`; what is in `stages` already is not computed again."""
    known = keys(spec, dataset.digests)
    work = _Work(spec, dataset, stages, reporter, clock, known)
    retrieved = stages.get(known.retrieved, work.retrieve, save_retrieved, load_retrieved)
    scores, curves = stages.get(known.scores, lambda: work.score(retrieved), save_scored, load_scored)
    return Result(retrieved, scores, curves, known)


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
        texts = chunk_texts(chunks, self.dataset.corpus.texts)
        stop = Stop(chunks.doc, self.spec.depth)
        indexes = [self._index(leg, chunks, texts) for leg in retriever.legs]
        vectors = [self._query_vectors(leg) for leg in retriever.legs]
        legs = [
            self._leg_run(leg, index, vector, stop)
            for leg, index, vector in zip(retriever.legs, indexes, vectors, strict=True)
        ]
        fused = retriever.fuse(legs, chunks.doc)
        documents = ranking.cut(ranking.fold(fused, chunks.doc), self.spec.depth)
        timed = self._probe(retriever, indexes, stop)
        facts = self._facts(retriever.legs, indexes, chunks, texts, documents)
        kept = ranking.cut(fused, _width_for(fused, chunks, CONTEXT_TOKENS))
        return Retrieved(kept, documents, _context(kept, chunks), timed.milliseconds, facts, timed.machine)

    def score(self, retrieved: Retrieved) -> Scored:
        case = metrics.Case(
            query_ids=self.dataset.queries.ids,
            documents=retrieved.documents,
            qrels=self.dataset.qrels,
            context=retrieved.context,
            tokens=self._tokens(self.spec.budget_tokenizer),
            spans=self.dataset.spans,
        )
        table = metrics.evaluate(self.spec.measures, case, self.spec.options)
        cutoffs = [cutoff for cutoff in CURVE if cutoff <= self.spec.depth]
        curves = {
            word: {
                cutoff: metrics.summary(curve, name).mean
                for cutoff, name in zip(cutoffs, curve.measures, strict=True)
                if metrics.summary(curve, name).n
            }
            for word, stem in (("ndcg", "nDCG"), ("recall", "R"))
            for curve in [metrics.evaluate([metrics.parse(f"{stem}@{c}") for c in cutoffs], case, self.spec.options)]
        }
        return Scored(table, curves)

    def _tokens(self, tokenizer: Tokenizer) -> TokenOffsets:
        return self.stages.get(
            _tokens_key(tokenizer, self.dataset.digests),
            lambda: tokenizer.offsets(self.dataset.corpus.texts),
            lambda tokens, folder: save_arrays(
                folder, {"indptr": tokens.indptr, "start": tokens.start, "end": tokens.end}
            ),
            lambda folder: TokenOffsets(*(load_array(folder, name) for name in ("indptr", "start", "end"))),
        )

    def _chunks(self) -> Chunks:
        chunker = self.spec.chunker
        return self.stages.get(
            self.keys.chunks, lambda: chunker.cut(self.dataset.corpus.texts, self._tokens(chunker.tokenizer))
        )

    def _index(self, leg: Leg, chunks: Chunks, texts: list[str]) -> Any:
        embedder = leg.embedder
        if embedder is None:
            return self.stages.get(
                _index_key(leg, self.keys.chunks), lambda: leg.index(texts, None), leg.save, leg.load
            )
        return leg.index(texts, self._vectors(embedder, texts))

    def _vectors(self, embedder: Embedder, texts: list[str]) -> Vectors:
        def encode() -> Vectors:
            with self.reporter.stage(f"embed {len(texts):,} chunks with {embedder.name}", len(texts)) as progress:
                return embedder.encode(texts, "document", progress)

        # The vectors themselves lie with the embedder, a text at a time; the entry only says that they are all there.
        return self.stages.get(
            _vectors_key(embedder, self.keys.chunks),
            encode,
            lambda vectors, folder: save_arrays(folder, {}, {"texts": len(vectors), "dim": vectors.shape[1]}),
            lambda _: encode(),
        )

    def _leg_run(self, leg: Leg, index: Any, vectors: Vectors | None, stop: Stop) -> Run:
        upstream = (self.keys.chunks, self.dataset.digests.queries, stop.depth)
        return self.stages.get(
            stage_key("leg", VERSION, ranking.VERSION, leg, upstream),
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

        return self.stages.get(stage_key("queries", VERSION, embedder, self.dataset.digests.queries), encode)

    def _probe(self, retriever: Retriever, indexes: list[Any], stop: Stop) -> Probe:
        def answer(text: str) -> object:
            runs = [
                leg.search(index, [text], None if leg.embedder is None else leg.embedder.encode_fresh(text), stop)
                for leg, index in zip(retriever.legs, indexes, strict=True)
            ]
            return ranking.fold(retriever.fuse(runs, stop.doc), stop.doc)

        return probe(answer, self.dataset.queries.texts, self.spec.probes, self.spec.seed, self.clock)

    def _facts(
        self, legs: tuple[Leg, ...], indexes: list[Any], chunks: Chunks, texts: list[str], documents: Run
    ) -> dict[str, float]:
        facts = {
            "chunks": float(len(chunks.doc)),
            "index_bytes": float(sum(leg.nbytes(index) for leg, index in zip(legs, indexes, strict=True))),
            "short_rankings": float(_short(documents, min(self.spec.depth, len(np.unique(chunks.doc))))),
        }
        for leg in legs:
            if leg.embedder is not None:
                reading = self._reading(leg.embedder, texts)
                facts |= {"read_tokens": float(reading.read), "text_tokens": float(reading.total)}
                facts["read_share"] = reading.read / reading.total if reading.total else 1.0
                if reading.limit is not None:
                    facts["read_limit"] = float(reading.limit)
        return facts

    def _reading(self, embedder: Embedder, texts: list[str]) -> Reading:
        return self.stages.get(
            stage_key("reading", VERSION, embedder, self.keys.chunks),
            lambda: embedder.reading(texts),
            lambda reading, folder: save_arrays(
                folder, {}, {"read": reading.read, "total": reading.total, "limit": reading.limit}
            ),
            lambda folder: Reading(**load_meta(folder)),
        )

    def _external(self, retriever: External) -> Retrieved:
        documents = retriever.documents(self.dataset, self.spec.depth)
        lengths = np.array([len(text) for text in self.dataset.corpus.texts], dtype=np.int32)
        # Beyond the corpus there is no text: such a document takes a rank but brings no context.
        doc = np.where(documents.items < len(lengths), documents.items, -1).astype(np.int32)
        end = np.where(doc >= 0, lengths[np.maximum(doc, 0)] if len(lengths) else 0, 0).astype(np.int32)
        context = Context(doc, np.zeros_like(doc), end)
        facts = {"short_rankings": float(_short(documents, self.spec.depth))}
        return Retrieved(documents, documents, context, np.zeros(0), facts, {})


def _tokens_key(tokenizer: Tokenizer, digests: Digests) -> str:
    return stage_key("tokens", VERSION, tokenizer, digests.corpus)


def _vectors_key(embedder: Embedder, chunks: str) -> str:
    return stage_key("vectors", VERSION, embedder, "document", chunks)


def _index_key(leg: Leg, chunks: str) -> str:
    return stage_key("index", VERSION, leg.index_parts(), chunks)


def _context(run: Run, chunks: Chunks) -> Context:
    there = run.items >= 0
    place = np.where(there, run.items, 0)
    if not len(chunks.doc):
        empty = np.full(run.items.shape, -1, dtype=np.int32)
        return Context(empty, np.zeros_like(empty), np.zeros_like(empty))
    return Context(
        np.where(there, chunks.doc[place], -1).astype(np.int32),
        np.where(there, chunks.start[place], 0).astype(np.int32),
        np.where(there, chunks.end[place], 0).astype(np.int32),
    )


def _width_for(run: Run, chunks: Chunks, tokens: int) -> int:
    """How many ranks hold `tokens` tokens for every query (or all that there is), at least one."""
    if run.items.size == 0:
        return 1
    sizes = np.where(run.items >= 0, chunks.tokens[np.maximum(run.items, 0)], 0)
    enough = np.cumsum(sizes, axis=1) >= tokens
    first = np.where(enough.any(axis=1), enough.argmax(axis=1) + 1, run.items.shape[1])
    return int(max(first.max(), 1))


def _short(documents: Run, depth: int) -> int:
    """Queries with fewer documents than asked for."""
    return int(((documents.items >= 0).sum(axis=1) < depth).sum())
