"""Tiny models made on the spot, so that every rule can be shown without a download."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

SENTENCES = "the cat sat on a mat", "dog ran home", "red green blue", "query passage :", "one two three"
WORDS = [word for sentence in SENTENCES for word in sentence.split()]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
LIMIT = 8  # tokens, [CLS] and [SEP] included


class Count:
    """A progress that adds up."""

    def __init__(self) -> None:
        self.total = 0

    def advance(self, amount: int) -> None:
        self.total += amount


@pytest.fixture
def progress() -> Count:
    return Count()


def write_tiny_model(folder: Path, prompts: dict[str, str] | None = None, seed: int = 0) -> Path:
    """A BERT of 16 dimensions with a vocabulary of words, saved as sentence-transformers saves models."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel

    folder.mkdir(parents=True)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.enable_truncation(4)  # as packaged tokenizers do: must not fool anybody who counts
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    write = {
        "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 32, **special},
        "sentence_bert_config.json": {"max_seq_length": LIMIT, "do_lower_case": False},
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": 16, "pooling_mode_mean_tokens": True},
        "config_sentence_transformers.json": {"prompts": prompts or {}},
    }
    for name, content in write.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model without prompts; tests must not change it."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def make_tiny(tmp_path: Path) -> Callable[..., Path]:
    """Makes another tiny model: `make_tiny("name", prompts=…, seed=…)`."""
    return lambda name="other", **how: write_tiny_model(tmp_path / name, **how)
