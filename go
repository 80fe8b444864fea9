#!/bin/sh
# Sets deepcrew up in .venv where that is not done yet, then runs it:
#   ./go test [pytest options]    the tests
#   ./go check                    lint and types
#   ./go bench [pytest options]   the benchmarks
#   ./go COMMAND ...              deepcrew COMMAND ...
set -eu
cd "$(dirname "$0")"

fail() { echo "go: $1" >&2; exit 1; }

python=
for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
    if command -v "$name" >/dev/null 2>&1 && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$name
        break
    fi
done
[ -n "$python" ] || fail "Python 3.11 or newer is needed; none was found as python3."
[ -f cli.py ] || fail "cli.py is missing here: run this from a complete clone."

# What is set up, and where: an environment that has moved is made anew, for its commands know their place.
setup() { pwd; cat pyproject.toml; }
if ! setup | cmp -s - .venv/set-up-for 2>/dev/null || ! .venv/bin/python -c '' 2>/dev/null; then
    echo "setting up .venv, once ..." >&2
    "$python" -m venv --clear .venv >&2 || fail "the venv module of $python is missing (Debian and Ubuntu: install python3-venv)."
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' >&2 ||
        fail "pip could not install the packages that pyproject.toml names; is the package index reachable?"
    setup > .venv/set-up-for
fi

case "${1:-}" in
test) shift && exec .venv/bin/python -m pytest -m "not long" "$@" ;;
bench) shift && exec .venv/bin/python -m pytest bench "$@" ;;
check)
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .
    # The repository root is the package; mypy wants to see it under its name.
    ln -sfn "$PWD" .venv/deepcrew
    cd .venv && exec bin/mypy --config-file ../pyproject.toml -m deepcrew -p deepcrew.solver -p deepcrew.kernels -p deepcrew.report -m deepcrew.cli
    ;;
*) exec .venv/bin/deepcrew "$@" ;;
esac
