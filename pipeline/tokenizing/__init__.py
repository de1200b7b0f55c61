"""Texts into tokens: names, the tokenizers behind them, and their offsets."""

from pipeline.protocols import Tokenizer
from pipeline.tokenizing.huggingface import HuggingFaceTokenizer
from pipeline.tokenizing.names import WORDS, known_names
from pipeline.tokenizing.words import WordTokenizer

__all__ = ["HuggingFaceTokenizer", "WordTokenizer", "known_names", "tokenizer"]


def tokenizer(name: str) -> Tokenizer:
    """The tokenizer of this name: `minilm`, `wordllama`, `words`, or the path of a tokenizer.json or its folder.

    SettingError for an unknown name, ModelError for a package or file that is missing.
    """
    return WordTokenizer() if name == WORDS else HuggingFaceTokenizer(name)
