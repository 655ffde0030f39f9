#!/bin/sh
# Runs claims.py with little to do, on PURE, LOAD and SLOW_SYNC: that each part measures something.
set -eu

python3 bench/claims.py --pure "$1" --never_gathers "$1" --load "$2" --slow_sync "$3" \
    --folder "$TEST_TMPDIR" --seconds 0.1 --rounds 1 > "$TEST_TMPDIR/claims" 2> "$TEST_TMPDIR/steps" || {
    cat "$TEST_TMPDIR/steps" >&2
    exit 1
}
cat "$TEST_TMPDIR/claims"
for row in '| kept |' '| made |' '| syncs 2 ms longer, 256 clients |' \
    '| the disk as it is, 4 threads and an owner |' 'two threads and an owner '; do
    grep -qF "$row" "$TEST_TMPDIR/claims" || {
        echo "there is no row: $row" >&2
        exit 1
    }
done
