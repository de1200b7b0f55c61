"""Documents into chunks: pure, from token offsets computed once for every chunk size."""

from pipeline.chunking.document import WholeDocument
from pipeline.chunking.packing import chunk_texts
from pipeline.chunking.prefixed import cut, index_texts
from pipeline.chunking.recursive import Recursive
from pipeline.chunking.sentences import Sentences
from pipeline.chunking.token_window import TokenWindow

__all__ = ["Recursive", "Sentences", "TokenWindow", "WholeDocument", "chunk_texts", "cut", "index_texts"]
