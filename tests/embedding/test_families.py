from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.embedding.families import SEARCH_PASSAGES, automatic, resolve
from pipeline.embedding.layout import Layout


def layout(**changes) -> Layout:
    return Layout(tokenizer=Path("tokenizer.json"), static=False, total=512, positions=512, **changes)


# From the model cards named in the table.
@pytest.mark.parametrize(
    "model, query, document",
    [
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", SEARCH_PASSAGES, ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-base", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("Snowflake/snowflake-arctic-embed-m", SEARCH_PASSAGES, ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("mixedbread-ai/mxbai-embed-large-v1", SEARCH_PASSAGES, ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
    ],
)
def test_known_families_get_the_prefixes_of_their_cards(model, query, document):
    found = automatic(layout(), model)
    assert (found.query, found.document, found.note) == (query, document, "")


def test_an_instruct_e5_is_not_taken_for_a_plain_one():
    assert automatic(layout(), "intfloat/multilingual-e5-large-instruct").document == ""
    assert automatic(layout(), "intfloat/multilingual-e5-large-instruct").query.startswith("Instruct: ")


def test_the_models_own_prompts_come_before_the_table():
    found = automatic(layout(prompts={"query": "Q: ", "passage": "P: "}), "intfloat/e5-base")
    assert (found.query, found.document, found.source) == ("Q: ", "P: ", "the model's own configuration")


def test_empty_prompts_written_by_the_library_do_not_hide_the_family():
    assert automatic(layout(prompts={"query": "", "document": ""}), "intfloat/e5-base").query == "query: "


def test_a_fine_tuned_copy_is_known_by_its_ancestor_or_architecture():
    assert automatic(layout(names=("intfloat/e5-small",)), "mine").document == "passage: "
    assert automatic(layout(architecture="nomic_bert"), "mine").query == "search_query: "


@pytest.mark.parametrize("model", ["jinaai/jina-embeddings-v3", "hkunlp/instructor-large", "someone/unheard-of"])
def test_a_model_whose_prefixes_cannot_be_found_is_a_note_that_says_what_to_set(model):
    found = automatic(layout(), model)
    assert (found.query, found.document) == ("", "")
    assert model in found.note and "embedding.query_prefix" in found.note


def test_given_prefixes_win_one_role_at_a_time():
    found = resolve(layout(), "intfloat/e5-base", "none", "auto")
    assert (found.query, found.document) == ("", "passage: ")
    found = resolve(layout(), "someone/unheard-of", "Q ", "")
    assert (found.query, found.document, found.note) == ("Q ", "", "")
