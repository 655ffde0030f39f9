#!/bin/sh
# Runs the measuring programs SOAK OPEN SPLICE of the store with little to do: that each works, and
# that its exit status says what it found.
set -eu

# Runs the rest of the arguments, which must end with the first one as their status.
expect() {
    wanted=$1
    shift
    status=0
    "$@" || status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "ended with $status instead of $wanted: $*" >&2
        exit 1
    fi
}

soak="./$1 --keys=50 --writes=100 --segment_bytes=1048576"
expect 0 $soak --directory="$TEST_TMPDIR/soak"
expect 1 $soak --directory="$TEST_TMPDIR/beyond" --bound_bytes=1
expect 1 $soak --directory="$TEST_TMPDIR/soak"
expect 2 $soak
expect 0 "./$2" --directory="$TEST_TMPDIR/open" --keys=1000 --opens=2 --value_bytes=100,500
expect 2 "./$2" --directory="$TEST_TMPDIR/open" --value_bytes=many
expect 0 "./$3" --directory="$TEST_TMPDIR/splice" --sizes=4096,100000 --rounds=10
expect 2 "./$3" --directory="$TEST_TMPDIR/splice" --sizes=large
