"""Retrievers: BM25, dense vectors, their fusion, and runs made elsewhere.

`Bm25` and `Dense` are legs and, alone, retrievers of one leg; `Hybrid` fuses one of each; `RunFile` is a TREC run.
"""
