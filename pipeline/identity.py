"""What an experiment is: its components, what is measured, and the key of each of its stages.

The keys are known before anything is computed, so a plan can say what is there already, and two experiments that agree
up to a stage share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pipeline import metrics, ranking
from pipeline.context import Chunk
from pipeline.errors import SettingError
from pipeline.metrics.budget import kept_tokens
from pipeline.metrics.days import check_days
from pipeline.metrics.measured import check_ties
from pipeline.protocols import Assembler, Chunker, External, Reranker, Retriever, Tokenizer
from pipeline.records import Digests
from pipeline.storage.fingerprint import stage_key
from pipeline.storage.stage_keys import VERSION, index_key, tokens_key, vectors_key


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
    decay: Reranker | None = None  # newer documents first
    as_of: str = ""  # the day of the questions: a date, `query` = each its own, "" = not needed
    ties: Literal["trec", "range"] = "trec"  # range: also the values over all orders of equal scores
    probes: int = 20  # queries timed one at a time; 0 = none
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks what no component can check by itself."""
        if self.depth < 1:
            raise SettingError(f"depth={self.depth}: documents to retrieve, expected 1 or more")
        for name, value in (("probes", self.probes), ("seed", self.seed)):
            if value < 0:
                raise SettingError(f"{name}={value}: expected 0 or more")
        for measure in self.measures:
            if measure.counted == "ranks" and measure.cutoff is not None and measure.cutoff > self.depth:
                raise SettingError(
                    f"measures: {measure} looks at {measure.cutoff} documents but depth={self.depth};"
                    f" raise depth to {measure.cutoff} or lower the cutoff"
                )
        check_ties(self.ties)
        check_days(self.as_of, self.measures, decayed=self.decay is not None)


@dataclass(frozen=True)
class Keys:
    """The keys of an experiment's stages; `retrieved` and `scores` say whether two experiments are twins."""

    tokens: str
    chunks: str
    vectors: tuple[str, ...]  # one a leg with an embedder
    indexes: tuple[str, ...]  # one a leg without
    retrieved: str
    scores: str


def keys(spec: Experiment, digests: Digests) -> Keys:
    """The keys of every stage of `spec` on the dataset with these digests."""
    tokens = tokens_key(spec.chunker.tokenizer, digests)
    chunks = stage_key("chunks", VERSION, spec.chunker, tokens)
    legs = () if isinstance(spec.retriever, External) else spec.retriever.legs
    vectors = tuple(vectors_key(leg.embedder, chunks) for leg in legs if leg.embedder is not None)
    indexes = tuple(index_key(leg, chunks) for leg in legs if leg.embedder is None)
    # A run that comes from elsewhere knows no chunks and is not timed: neither is part of its key.
    external = isinstance(spec.retriever, External)
    upstream = (digests.corpus, digests.qrels) if external else (chunks,)
    timed = (0, 0) if external or not spec.probes else (spec.probes, spec.seed)
    retrieved = stage_key(
        "retrieved",
        (VERSION, ranking.VERSION, kept_tokens(spec.measures)),
        spec.retriever,
        upstream,
        digests.queries,
        (spec.depth, *timed),
        None if spec.decay is None else (spec.decay, spec.as_of, digests.corpus),
    )
    scores = stage_key(
        "scores",
        (VERSION, metrics.VERSION),
        retrieved,
        [str(measure) for measure in spec.measures],
        spec.options,
        # Whole documents come from elsewhere as they are, so nothing is assembled for them.
        None if isinstance(spec.retriever, External) else spec.context,
        (spec.as_of, spec.ties),
        spec.seed,
        (digests.qrels, digests.spans, tokens_key(spec.budget_tokenizer, digests)),
    )
    return Keys(tokens, chunks, vectors, indexes, retrieved, scores)
