#!/bin/sh
# usage: run.sh SCRIPT.py [argument]...
# Runs a test of this folder with the system's python3; nothing is written beside the scripts.
export PYTHONDONTWRITEBYTECODE=1
script=$1
shift
exec python3 "$script" "$@"
