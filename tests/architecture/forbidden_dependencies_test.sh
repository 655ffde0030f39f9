#!/bin/bash
# usage: forbidden_dependencies_test.sh FOUND BEGINNING...
# FOUND: labels of what the targets depend on.
set -euo pipefail
found=$1
shift

if ! [ -s "$found" ]; then
  echo "the build graph shows no library at all: the targets of this test are wrong"
  exit 1
fi
status=0
for beginning in "$@"; do
  # "//store" stands for //store:… and //store/…, not for //storehouse.
  if grep -E "^@*$beginning([:/]|\$)" "$found"; then
    echo "^ must not be needed here: nothing of $beginning may be (ARCHITECTURE.md)"
    status=1
  fi
done
exit $status
