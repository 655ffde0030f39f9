#!/bin/sh
# Runs each benchmark of the program $1 once: that it works, not how fast.
exec "./$1" --benchmark_min_time=1x
