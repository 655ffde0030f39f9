#!/bin/sh
# usage: run.sh SCRIPT.py [argument]...
# Runs a test, of this folder or one that uses it, with the system's python3, from the root of the
# tree. Nothing is written beside the scripts.
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=tests/end_to_end
script=$1
shift
exec python3 "$script" "$@"
