#!/usr/bin/env bash
# Lint, types, architecture, tests: what CI runs. Arguments go to pytest: bash scripts/test.sh tests/stats -k holm
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
prepare_environment
cd "$root"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
if [ $# -eq 0 ]; then
  "$venv/bin/ruff" check .
  "$venv/bin/ruff" format --check .
  "$venv/bin/mypy"
  "$venv/bin/lint-imports"
fi
exec "$venv/bin/python" -m pytest "$@"
