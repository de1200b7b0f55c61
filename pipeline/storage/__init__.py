"""What stands on disk: the cache of stages and its keys, the folders of jobs and sweeps, TREC files, text lines."""
