#!/bin/bash
# usage: symbols_test.sh SYMBOLS ALLOWED
# SYMBOLS: `nm --format=posix` of the archives. What they need and do not define must be in ALLOWED.
set -euo pipefail
export LC_ALL=C
symbols=$1 allowed=$2

# Lines are "NAME TYPE …". Versions of the library behind an @ do not matter.
names() { awk -v types="$1" 'NF >= 2 && index(types, $2) { sub(/@.*/, "", $1); print $1 }' "$symbols" | sort -u; }

if ! grep -q CheckFailed <(names T); then
  echo "the list holds none of the archives' own functions: it is not what it should be"
  exit 1
fi
needed=$(comm -23 <(names U) <(names TDBRVWGSiu))

# What instruments put in is theirs, not the core's.
instruments='^__(asan|ubsan|tsan|sanitizer|llvm|gcov)_|^__start___|^__stop___'
if grep -qE "$instruments" <<<"$needed"; then
  echo "note: built with a sanitizer or for coverage; symbols that match $instruments are allowed"
  needed=$(grep -vE "$instruments" <<<"$needed" || true)
fi

refused=$(comm -23 <(echo "$needed" | sed '/^$/d' | sort -u) <(sed -e 's/[[:space:]]*#.*//' -e '/^$/d' "$allowed" | sort -u))
if [ -n "$refused" ]; then
  echo "The core needs functions that it must not know:"
  echo "$refused"
  echo "It makes no OS call. A new symbol of the compiler or the C++ library itself goes into $allowed, with its reason."
  exit 1
fi
