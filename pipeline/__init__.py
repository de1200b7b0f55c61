"""rag-sweep: which retriever, embedding model and chunk size should you ship, and how sure are you?

Floors, top to bottom; a file imports from lower floors only (checked by import-linter):

    run compare show monitor check_citations  8  python -m pipeline.<verb>, thin
    sweep                                     7  plan the points, finish the sweep
    config, knobs                             6  Hydra's tree -> components; names and types of the knobs
    experiment, identity, probe               5  one configuration from dataset to score table; its keys; its latency
    monitoring                                4b answers of production over time
    datasets tokenizing embedding retrieval   4  adapters: files, libraries, stores
    tracking report answers
    harness storage                           3  the plain-Python API; fingerprints, the cache, result files
    fusion chunking context metrics stats     2  pure: arrays in, arrays out
    citations support
    ranking sentences                         1  the only sort and tie rule; where sentences end
    records protocols errors                  0  what flows, the roles, what can go wrong
"""

__version__ = "0.1.0"
