"""Writes the cases of http_cases.jsonl that are one piece of bytes as a table for C++ to read.

A line each: id, category, the request in hexadecimal, and the final statuses that are expected,
separated by tabs and commas. The placeholders stand for revision 7 and an object limit of 16 MiB.
"""

import json
import sys

NAMES = {"${ETAG}": '"7"', "${REV}": "7", "${LIMIT}": "16777216", "${LIMIT_PLUS_1}": "16777217"}


def request_of(case):
    if "request_hex" in case:
        return bytes.fromhex(case["request_hex"])
    text = case["request"]
    for name, value in NAMES.items():
        text = text.replace(name, value)
    return text.encode("latin-1")


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    for case in cases:
        if "steps" in case:
            continue
        statuses = case.get("expect_statuses", [case["expect_status"]])
        finals = ",".join(str(status) for status in statuses if status >= 200)
        print(case["id"], case["cat"], request_of(case).hex(), finals, sep="\t")


main()
