#!/usr/bin/env bash
# Run tests with the lowest versions of all dependencies that pyproject.toml allows: what it says must be enough.
# Usage: scripts/check_lowest.sh [EXTRAS [TEST ...]]     (default: datasets, and tests of building, pushing and loading)
# The environment is made from nothing in $WORK (default /tmp/solecism-lowest); needs python3.11+ and a package index.
# With extras that need torch set TORCH, as TORCH=torch==2.13.0: it is installed first, from $PIP_FIND_LINKS if it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
extras=${1:-datasets}
work=${WORK:-/tmp/solecism-lowest}
tests=("${@:2}")
if [ ${#tests[@]} -eq 0 ]; then
    tests=(tests/datasets/test_build.py tests/datasets/test_card.py tests/datasets/test_lock.py
        tests/commands/test_cli.py tests/hub/test_compare.py tests/hub/test_load.py tests/hub/test_push.py
        tests/hub/test_releasing.py)
fi
rm -rf "$work"
python3 -m venv "$work/uv"
"$work/uv/bin/pip" install --quiet --disable-pip-version-check uv
install=("$work/uv/bin/uv" pip install --quiet --python "$work/env/bin/python" --find-links "${PIP_FIND_LINKS:-$work}")
"$work/uv/bin/uv" venv --quiet --python python3 "$work/env"
echo "${TORCH:-}" > "$work/constraints.txt"
if [ -n "${TORCH:-}" ]; then
    "${install[@]}" "$TORCH"
fi
"${install[@]}" --resolution lowest-direct --constraint "$work/constraints.txt" --editable ".[$extras]"
"${install[@]}" "pytest>=8" "hypothesis>=6"
"$work/uv/bin/uv" pip list --quiet --python "$work/env/bin/python" | grep -i -E "^(click|datasets|filelock|huggingface|jinja2|lm-eval|numpy|pyarrow|pyyaml|regex|requests|rich|spacy|torch|transformers)"
# The old clients do not speak of xet to the hub of the tests, and so push as before there was one.
env -u PYTHONPATH OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 "$work/env/bin/python" -m pytest -k "not xet" "${tests[@]}"
