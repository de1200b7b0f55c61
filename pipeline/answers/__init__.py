"""Answers of systems: files of them, read as a stream; their citations; preflight; joined to experiments.

rows         one line of a file becomes an `Answer`         files          files, folders and streams of lines
reading      the citations of an answer, also structured    python_engine  patterns that RE2 refuses, with a time limit
preflight    whether the formats fit before anything runs   precomputed    a file of answers, joined to an experiment
output       files of scored answers                        flags          how citations are read, on a command line
failed       what went wrong with each, as a file           assessed       scores and right answers that came along
measures     all that is measured of answers                squad          answers against right answers
support      cited sentences against the texts they cite    judged         replies of a judge model
provided     citations that a provider sent           remarks        what is to be known beside the measures
"""
