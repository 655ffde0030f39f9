#!/bin/sh
# Runs the Python test that is named.
set -eu
exec python3 "$1"
