#!/usr/bin/env bash
# Opens MLflow on this checkout's results: one worker, no job runners, no telemetry, loopback only.
# usage: bash scripts/ui.sh [PORT]     (an exported MLFLOW_TRACKING_URI wins over outputs/mlflow.db)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

port="${1:-5000}"
python=".venv/bin/python"
[[ -x "$python" ]] || { echo "no .venv here: run bash scripts/run.sh first" >&2; exit 3; }
store="${MLFLOW_TRACKING_URI:-sqlite:///outputs/mlflow.db}"
case "$store" in
  http://* | https://*) echo "MLFLOW_TRACKING_URI is a server already: open $store"; exit 0 ;;
  sqlite:///outputs/mlflow.db)
    [[ -f outputs/mlflow.db ]] || { echo "no outputs/mlflow.db yet: run a sweep first (bash scripts/run.sh)" >&2; exit 3; } ;;
esac

export MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false MLFLOW_DISABLE_TELEMETRY=true DO_NOT_TRACK=true
echo "MLflow on http://127.0.0.1:$port (Ctrl-C ends it)"
exec "$python" -m mlflow server --backend-store-uri "$store" --workers 1 --host 127.0.0.1 --port "$port"
