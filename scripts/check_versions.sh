#!/usr/bin/env bash
# Run tests with other versions of the dependencies than those in constraints.txt. Usage: scripts/check_versions.sh MODE
#   lowest-direct  the lowest versions that pyproject.toml allows; tests of building, pushing and loading
#   newest         the newest versions there are, without the upper bounds of pyproject.toml; all tests of a change
# Makes an environment in $WORK (default /tmp/solecism-MODE) from a package index; needs python3.11+.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=$1
work=${WORK:-/tmp/solecism-$mode}
rm -rf "$work"
python3 -m venv "$work/uv"
"$work/uv/bin/pip" install --quiet --disable-pip-version-check uv
"$work/uv/bin/uv" venv --quiet --python python3 "$work/env"
install=("$work/uv/bin/uv" pip install --quiet --python "$work/env/bin/python" --find-links "${PIP_FIND_LINKS:-$work}")
if [ "$mode" = newest ]; then
    "${install[@]}" "${TORCH:-torch==2.13.0}"
    printf '%s\n' transformers datasets huggingface_hub lm-eval[hf] > "$work/unbounded.txt"
    "${install[@]}" --override "$work/unbounded.txt" --editable ".[dev]"
    tests=()
else
    "${install[@]}" --resolution "$mode" --editable ".[datasets]"
    "${install[@]}" "pytest>=8" "hypothesis>=6"
    tests=(tests/datasets/test_build.py tests/datasets/test_card.py tests/datasets/test_lock.py
        tests/commands/test_cli.py tests/hub)
fi
"$work/uv/bin/uv" pip list --quiet --python "$work/env/bin/python"
env -u PYTHONPATH OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 "$work/env/bin/python" -m pytest "${tests[@]}"
