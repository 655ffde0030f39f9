#!/bin/sh
# Runs the wire cases against the server: RUNNER SERVER MODULE SPLITS. All waits are doubled, since
# other tests may run beside it.
set -eu
export TMPDIR="${TEST_TMPDIR:-${TMPDIR:-/tmp}}"
exec python3 "$1" --server "$2" --module "$3" --split "$4" --slack 2
