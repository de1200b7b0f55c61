"""A monitored series in MLflow: one run a history, one step a batch, the last alarm as a tag."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pipeline.errors import TrackingFault
from pipeline.tracking import store

KEY = "rag_sweep.history"
DONE = "rag_sweep.batches"
SECONDS = 90.0  # for everything, the first schema of a new file included


def mirror_series(
    uri: str, name: str, history: str, series: Mapping[str, Sequence[float]], tags: Mapping[str, str]
) -> str:
    """Sends the batches that the store lacks to the run of this history in the experiment `name`; the run's id.

    `series`: measure -> one value a batch, NaN = none. TrackingFault in one line where the store does not answer.
    """
    with store.told(uri, TrackingFault):
        store.load()
        store.prepare(uri)
        with store.alone(uri, SECONDS):
            return store.within(SECONDS, lambda: _send(uri, name, history, series, tags))


def _send(uri: str, name: str, history: str, series: Mapping[str, Sequence[float]], tags: Mapping[str, str]) -> str:
    from mlflow.entities import Metric, RunTag

    client = store.client(uri)
    experiment = store.experiment(client, name, None)
    found = client.search_runs([experiment], f"tags.`{KEY}` = '{history}'", max_results=1)
    run = found[0] if found else client.create_run(experiment, run_name=f"monitor {history[:8]}", tags={KEY: history})
    done = int(run.data.tags.get(DONE, 0))
    values = [
        Metric(measure, float(value), 0, step)
        for measure, row in series.items()
        for step, value in enumerate(row, 1)
        if step > done and math.isfinite(value)
    ]
    batches = max((len(row) for row in series.values()), default=0)
    for start in range(0, len(values), 1000):
        client.log_batch(run.info.run_id, metrics=values[start : start + 1000])
    sent = [RunTag(DONE, str(batches)), *(RunTag(key, text[:4000]) for key, text in tags.items())]
    client.log_batch(run.info.run_id, tags=sent)
    client.set_terminated(run.info.run_id)
    return str(run.info.run_id)
