#!/usr/bin/env bash
# The main job: sets the environment up if need be, then runs python -m pipeline.run with these arguments.
#   bash scripts/run.sh -m chunk_size=256,512,1024
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
prepare_environment
exec "$venv/bin/python" -m pipeline.run "$@"
