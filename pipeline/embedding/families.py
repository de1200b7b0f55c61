"""Role prefixes: what a model expects before a query and before a document.

The model's own configuration comes first; this table is for families whose files leave it out. Each row is taken from
the model card or technical report named in `source`. A model without the prefix it was trained with still works, only
worse, and nothing tells: so what was used is reported, and a family that needs one and has none here is a note.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.embedding.layout import Layout

SEARCH_PASSAGES = "Represent this sentence for searching relevant passages: "
WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "


class Family(NamedTuple):
    """Models whose lower-case name matches `pattern`. Prefix None = needs one that cannot be given here."""

    name: str
    pattern: str
    query: str | None
    document: str | None
    source: str


class Prefixes(NamedTuple):
    """What is put before queries and documents, where that comes from, and a note ("" = none)."""

    query: str
    document: str
    source: str
    note: str


# The first match wins: narrow patterns stand before wide ones.
FAMILIES = (
    Family(
        "e5-instruct",
        r"e5-(mistral-7b|large)-?instruct",
        WEB_SEARCH,
        "",
        "model card intfloat/multilingual-e5-large-instruct",
    ),
    Family(
        "e5",
        r"(^|[/_-])e5-(small|base|large)",
        "query: ",
        "passage: ",
        "arXiv:2212.03533 and arXiv:2402.05672, model cards",
    ),
    Family("bge-m3", r"bge-m3", "", "", "model card BAAI/bge-m3: no instruction"),
    Family("bge-en", r"bge-(small|base|large)-en", SEARCH_PASSAGES, "", "model card BAAI/bge-base-en-v1.5"),
    Family(
        "bge-zh",
        r"bge-(small|base|large)-zh",
        "为这个句子生成表示以用于检索相关文章：",
        "",
        "model card BAAI/bge-base-zh-v1.5",
    ),
    Family("gte-qwen", r"gte-qwen.*instruct", WEB_SEARCH, "", "model card Alibaba-NLP/gte-Qwen2-7B-instruct"),
    Family(
        "gte", r"(^|[/_-])gte-(small|base|large|multilingual|modernbert)", "", "", "arXiv:2308.03281: no instruction"
    ),
    Family(
        "nomic",
        r"nomic-embed-text|modernbert-embed",
        "search_query: ",
        "search_document: ",
        "arXiv:2402.01613, model card",
    ),
    Family(
        "arctic-2",
        r"snowflake-arctic-embed-[ml]-v2",
        "query: ",
        "",
        "model card Snowflake/snowflake-arctic-embed-l-v2.0",
    ),
    Family("arctic", r"snowflake-arctic-embed", SEARCH_PASSAGES, "", "model card Snowflake/snowflake-arctic-embed-m"),
    Family(
        "mxbai",
        r"mxbai-embed-(large|2d)|mxbai-embed-xsmall",
        SEARCH_PASSAGES,
        "",
        "model card mixedbread-ai/mxbai-embed-large-v1",
    ),
    Family("uae", r"uae-large", SEARCH_PASSAGES, "", "model card WhereIsAI/UAE-Large-V1"),
    Family("qwen3", r"qwen3-embedding", WEB_SEARCH.rstrip(" "), "", "model card Qwen/Qwen3-Embedding-0.6B"),
    Family(
        "gemma",
        r"embeddinggemma",
        "task: search result | query: ",
        "title: none | text: ",
        "model card google/embeddinggemma-300m",
    ),
    Family("jina-2", r"jina-embeddings-v2", "", "", "model card jinaai/jina-embeddings-v2-base-en: no instruction"),
    Family("jina", r"jina-embeddings-v[3-9]", None, None, "model card jinaai/jina-embeddings-v3: a task per role"),
    Family(
        "instructor", r"(^|[/_-])instructor-(base|large|xl)", None, None, "arXiv:2212.09741: an instruction per task"
    ),
    Family(
        "sbert",
        r"all-(minilm|mpnet|distilroberta)|multi-qa-|paraphrase-|msmarco-",
        "",
        "",
        "sbert.net, pretrained models: no prefix",
    ),
    Family(
        "static",
        r"wordllama|potion-|word-llama|static-retrieval-mrl|static-similarity-mrl",
        "",
        "",
        "model cards: no prefix",
    ),
    Family("granite", r"granite-embedding", "", "", "model card ibm-granite/granite-embedding-125m-english: no prefix"),
)
BY_ARCHITECTURE = {"nomic_bert": "nomic"}


def family_of(layout: Layout, name: str) -> Family | None:
    """The family of a model by what it is called, by what its files call it, or by its architecture."""
    for known_as in (name, *layout.names):
        for family in FAMILIES:
            if re.search(family.pattern, known_as.lower()):
                return family
    wanted = BY_ARCHITECTURE.get(layout.architecture)
    return next((family for family in FAMILIES if family.name == wanted), None)


def own_prefixes(layout: Layout) -> Prefixes | None:
    """The model's own prompts, if any is not empty; keys as sentence-transformers looks them up."""
    fallback = layout.default_prompt
    query = layout.prompts.get("query") or fallback
    document = next(
        (layout.prompts[key] for key in ("document", "passage", "corpus") if layout.prompts.get(key)), fallback
    )
    if not query and not document:
        return None
    return Prefixes(query, document, "the model's own configuration", "")


def automatic(layout: Layout, name: str) -> Prefixes:
    """The prefixes under `auto`: the model's own prompts, else those of its family, else none and a note."""
    own = own_prefixes(layout)
    if own is not None:
        return own
    family = family_of(layout, name)
    give = "give embedding.query_prefix and embedding.document_prefix as its model card says"
    if family is None:
        note = f"{name} states no role prefixes and belongs to no known family: none are used; if it needs them, {give}"
        return Prefixes("", "", "none", note)
    if family.query is None or family.document is None:
        note = f"{name} ({family.name}) was trained with role prefixes, but none could be found: none are used; {give}"
        return Prefixes(family.query or "", family.document or "", "none", note)
    return Prefixes(family.query, family.document, f"family {family.name}", "")


def resolve(layout: Layout, name: str, query: str, document: str) -> Prefixes:
    """The prefixes in use: `auto` as above, `none` = no prefix, anything else = that text itself."""
    found = automatic(layout, name)
    given = {"none": ""}
    if query == "auto" and document == "auto":
        return found
    return Prefixes(
        found.query if query == "auto" else given.get(query, query),
        found.document if document == "auto" else given.get(document, document),
        "given" if "auto" not in (query, document) else f"given, else {found.source}",
        found.note if "auto" in (query, document) else "",
    )
