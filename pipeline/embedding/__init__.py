"""Texts to unit vectors. `sentence_transformer` is the component; the rest are its parts, none heavy to import.

models       the table of short names, and the form of a model's name
locate       a model's name -> the folder its files lie in (packages, folders; `hub` and `joined` for the other two)
trust        what a model folder may hold before anything in it is read
layout       what the files of a model say about it: limit, prompts, family
families     role prefixes of known model families, with sources
content      SHA-256 of the files that shape the output, remembered
batches      how texts are cut into windows and packed into batches (pure)
loading      the one place that imports torch, transformers and sentence_transformers
store        vectors kept per text content
"""
