"""What of the truth a context holds at one budget: documents with a token in it, evidence that is whole in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.blocks import blocks, ragged
from pipeline.metrics.case import Case
from pipeline.metrics.contexts import covered, fill
from pipeline.records import Bools


class Held(NamedTuple):
    """One value a judgement, and one a span; without spans there are none."""

    documents: Bools
    spans: Bools


def held(case: Case, budget: int) -> Held:
    """What the contexts hold within `budget` tokens; SettingError for a case without contexts."""
    if case.context is None or case.tokens is None:
        raise SettingError("what a context holds needs contexts and token offsets, which this experiment does not have")
    documents = np.zeros(len(case.qrels.docs), bool)
    spans = np.zeros(0 if case.spans is None else len(case.spans.doc), bool)
    for rows in blocks(np.diff(case.qrels.indptr), case.context.doc.shape[1]):
        view = fill(case.context, case.qrels, case.tokens, rows, case.spans)
        entry = ragged(case.qrels.indptr, rows)
        documents[entry.at] = view.reach[entry.row, entry.column] < budget
        if view.evidence is not None and case.spans is not None:
            indptr = np.searchsorted(case.spans.query, np.arange(len(case.query_ids) + 1)).astype(np.int64)
            found = covered(view.evidence, view.pieces(budget))
            spans[ragged(indptr, rows).at] = found >= view.evidence.end - view.evidence.start
    return Held(documents, spans)
