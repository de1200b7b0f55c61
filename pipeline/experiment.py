"""One configuration, from dataset to score table. No Hydra, no MLflow, no adapter is named here.

    dataset -> tokens -> chunks -> vectors or index -> leg runs -> one chunk run -> documents; context -> scores

Every arrow is a stage with a key that is known before anything is computed (`keys`), so a plan can say what is there
already, and two configurations that agree up to a stage share it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline import chunking, metrics, ranking
from pipeline.context import Chunk
from pipeline.context.bare import places, width_for
from pipeline.errors import SettingError
from pipeline.metrics import cuts
from pipeline.metrics.curves import curves
from pipeline.probe import Probe, probe
from pipeline.protocols import (
    Assembler,
    Chunker,
    Clock,
    Embedder,
    External,
    Leg,
    Reporter,
    Retriever,
    Stages,
    Tokenizer,
)
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
CONTEXT_TOKENS = (
    16_384  # ranks kept for the budget measures hold this many tokens of chunks, or twice the largest budget
)


@dataclass(frozen=True)
class Experiment:
    """One configuration: its components and what is measured."""

    chunker: Chunker
    retriever: Retriever | External
    depth: int  # documents
    measures: tuple[metrics.Measure, ...]
    budget_tokenizer: Tokenizer  # the one tokenizer in which every experiment's context is counted
    options: metrics.Options = field(default_factory=metrics.Options)
    context: Assembler = field(default_factory=Chunk)  # what the prompt holds for a hit
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

    @property
    def kept_tokens(self) -> int:
        """Tokens of chunks that are kept for contexts: twice the largest budget, as tokenizers count differently."""
        budgets = [m.cutoff for m in self.measures if m.counted == "tokens" and m.cutoff is not None]
        return max(CONTEXT_TOKENS, 2 * max(budgets, default=0))


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
    curves: Mapping[str, Mapping[int, float]]  # ndcg, recall, recall_by_tokens, … -> cutoff -> mean
    keys: Keys
    facts: Mapping[str, float]  # of retrieval and of scoring


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
        (VERSION, ranking.VERSION, spec.kept_tokens),
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
        # Whole documents come from elsewhere as they are, so nothing is assembled for them.
        None if isinstance(spec.retriever, External) else spec.context,
        (digests.qrels, digests.spans, _tokens_key(spec.budget_tokenizer, digests)),
    )
    return Keys(tokens, chunks, vectors, indexes, retrieved, scores)


def run(spec: Experiment, dataset: Dataset, *, stages: Stages, reporter: Reporter, clock: Clock) -> Result:
    """Everything that `spec` brings on `dataset`; what is in `stages` already is not computed again."""
    known = keys(spec, dataset.digests)
    work = _Work(spec, dataset, stages, reporter, clock, known)
    retrieved = stages.get(known.retrieved, work.retrieve, save_retrieved, load_retrieved)
    scored = stages.get(known.scores, lambda: work.score(retrieved), save_scored, load_scored)
    return Result(retrieved, scored.table, scored.curves, known, {**retrieved.facts, **scored.facts})


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
        fused = retriever.fuse(legs, chunks.doc)
        documents = ranking.cut(ranking.fold(fused, chunks.doc), self.spec.depth)
        timed = self._probe(retriever, indexes, stop)
        facts = self._facts(retriever.legs, indexes, chunks, texts, documents)
        kept = ranking.cut(fused, width_for(fused, chunks, self.spec.kept_tokens))
        return Retrieved(kept, documents, places(kept, chunks), timed.milliseconds, facts, timed.machine)

    def score(self, retrieved: Retrieved) -> Scored:
        case = metrics.Case(
            query_ids=self.dataset.queries.ids,
            documents=retrieved.documents,
            qrels=self.dataset.qrels,
            context=self._assembled(retrieved),
            tokens=self._tokens(self.spec.budget_tokenizer),
            spans=self.dataset.spans,
        )
        table = metrics.evaluate(self.spec.measures, case, self.spec.options)
        return Scored(table, curves(case, self.spec.depth, self.spec.options), self._cuts())

    def _assembled(self, retrieved: Retrieved) -> Context:
        if isinstance(self.spec.retriever, External):
            return retrieved.context
        tokens = self._tokens(self.spec.budget_tokenizer)
        return self.spec.context.assemble(retrieved.chunks, self._chunks(), self.dataset.corpus.texts, tokens)

    def _cuts(self) -> dict[str, float]:
        """What the chunking did to the evidence, whatever was retrieved."""
        spans = self.dataset.spans
        if isinstance(self.spec.retriever, External) or spans is None or not len(spans.doc):
            return {}
        return {"straddle_rate": float(cuts.straddled(self._chunks(), spans).mean())}

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
            self.keys.chunks, lambda: chunking.cut(chunker, self.dataset.corpus, self._tokens(chunker.tokenizer))
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
            "duplication": cuts.duplication(chunks),
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


def _short(documents: Run, depth: int) -> int:
    """Queries with fewer documents than asked for."""
    return int(((documents.items >= 0).sum(axis=1) < depth).sum())
