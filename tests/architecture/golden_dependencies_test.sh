#!/bin/bash
# usage: golden_dependencies_test.sh FOUND GOLDEN BUILD_FILE
# FOUND: labels as the build graph has them; GOLDEN: as they should be.
set -euo pipefail
export LC_ALL=C
found=$1 golden=$2 build_file=$3

# Newer Bazels print @@repository for @repository.
labels() { sed -e 's/^@@/@/' -e '/^#/d' -e '/^$/d' "$1" | sort -u; }

if ! diff <(labels "$golden") <(labels "$found"); then
  echo "The dependencies differ from $golden (<: gone, >: new)."
  echo "When the change is meant, change that file with it, and say why in the commit."
  exit 1
fi

# A library that the rule does not ask about would go unwatched.
package=//$(dirname "$build_file")
status=0
for name in $(sed -n '/^pure_library(/,/^)/s/^    name = "\(.*\)",$/\1/p' "$build_file"); do
  if ! grep -qxF "$package:$name" <(labels "$found"); then
    echo "$package:$name is not among the targets of this test"
    status=1
  fi
done
exit $status
