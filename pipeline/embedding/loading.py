"""The one place that imports torch, transformers and sentence_transformers."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.embedding.content import check_weights
from pipeline.embedding.layout import Layout
from pipeline.embedding.locate import Place
from pipeline.errors import ModelError
from pipeline.records import Role

# Two models at once: a sweep goes through its models one after the other, and jobs of one model follow each other.
MOST_LOADED = 2


class Loading(NamedTuple):
    """What a loaded model depends on; equal settings share one model in a process."""

    place: Place
    static: bool
    dtype: str
    device: str
    trust: bool
    digest: str


class LoadedModel:
    """A model in memory. One call at a time: the token limit is a property of the shared model."""

    def __init__(self, model: Any, static: bool) -> None:
        self._model = model
        self._static = static
        self._lock = threading.Lock()

    def vectors(self, texts: Sequence[str], role: Role, prefix: str, total: int | None) -> NDArray[np.float32]:
        """float32 (texts, dim) of one batch, as the model gives them; `total` tokens are read, specials included."""
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        with self._lock, _out_of_memory_as_one_line():
            self._limit(total)
            out = encode(
                list(texts), prompt=prefix, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(out, dtype=np.float32)

    def _limit(self, total: int | None) -> None:
        if not self._static:
            if total is not None:
                self._model.max_seq_length = total
            return
        tokenizer = self._model[0].tokenizer
        if total is None:
            tokenizer.no_truncation()
        else:
            tokenizer.enable_truncation(total)


_LOADED: OrderedDict[Loading, LoadedModel] = OrderedDict()
_LOCK = threading.Lock()


def loaded(wanted: Loading, name: str) -> LoadedModel:
    """The model in memory, loaded if need be; the least recently used one leaves. ModelError in one line."""
    with _LOCK:
        if wanted not in _LOADED:
            _LOADED[wanted] = _load(wanted, name)
            while len(_LOADED) > MOST_LOADED:
                _LOADED.popitem(last=False)
        _LOADED.move_to_end(wanted)
        return _LOADED[wanted]


def forget_models() -> None:
    """Gives back the memory of all loaded models."""
    with _LOCK:
        _LOADED.clear()


def _load(wanted: Loading, name: str) -> LoadedModel:
    from safetensors import SafetensorError

    check_weights(wanted.place, name)
    _quiet()
    read = _static if wanted.place.form == "static" else _folder
    try:
        model = read(wanted)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        line = (str(error).strip().splitlines() or [""])[0][:200]
        raise ModelError(
            f"the model {name!r} in {wanted.place.folder} cannot be loaded ({type(error).__name__}: {line}); "
            "download it again or name another"
        ) from error
    return LoadedModel(model, wanted.static)


def _folder(wanted: Loading) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    settings: dict[str, Any] = {"dtype": getattr(torch, wanted.dtype)}
    if not wanted.trust:
        settings["use_safetensors"] = True
    model = SentenceTransformer(
        str(wanted.place.folder),
        device=_device(wanted.device),
        trust_remote_code=wanted.trust,
        local_files_only=True,
        model_kwargs=settings,
    )
    # A module of tokens alone does not know model_kwargs.
    return model.to(getattr(torch, wanted.dtype)) if wanted.static else model


def _static(wanted: Loading) -> Any:
    """WordLlama's packaged table as a StaticEmbedding: its own loader looks for the tokenizer on the network."""
    import torch
    from safetensors.numpy import load_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(wanted.place.tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    weights = load_file(str(wanted.place.weights))["embedding.weight"].astype(np.float32)
    kept = np.ascontiguousarray(weights[:, : wanted.place.dims])
    module = StaticEmbedding(tokenizer, embedding_weights=kept)
    return SentenceTransformer(modules=[module], device=_device(wanted.device)).to(getattr(torch, wanted.dtype))


def _device(device: str) -> str:
    if device != "auto":
        return device
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _quiet() -> None:
    """No progress bars and no advice meant for people who train models: what a person must know, we say."""
    from huggingface_hub.utils import disable_progress_bars
    from transformers.utils import logging as transformers_logging

    disable_progress_bars()
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)


@contextmanager
def _out_of_memory_as_one_line() -> Iterator[None]:
    import torch

    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # On the CPU torch has no class of its own for this.
        full = isinstance(error, (MemoryError, torch.OutOfMemoryError)) or "allocate memory" in str(error)
        if not full:
            raise
        raise ModelError("out of memory while embedding; make the batches smaller: embedding.batch_size=8") from None


def read_tokenizer(layout: Layout) -> Any:
    """The model's own tokenizer as a `tokenizers.Tokenizer` that neither cuts nor pads."""
    from tokenizers import Tokenizer

    if layout.tokenizer.is_file():
        tokenizer = Tokenizer.from_file(str(layout.tokenizer))
    else:
        tokenizer = Tokenizer.from_str(_slow_tokenizer(layout.tokenizer).to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _slow_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    _quiet()
    try:
        return AutoTokenizer.from_pretrained(str(folder), local_files_only=True).backend_tokenizer
    except (OSError, ValueError, AttributeError) as error:
        line = (str(error).strip().splitlines() or [""])[0][:200]
        raise ModelError(f"{folder}: its tokenizer cannot be read ({line}); a tokenizer.json is expected") from None
