"""Compares the report of a job with the audit of one machine, figure by figure."""

import json
import sys


def differences(one, other, place=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(set(one) | set(other)):
            yield from differences(one.get(name), other.get(name), f"{place}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other)):
            yield from differences(a, b, f"{place}[{number}]")
    elif one != other:
        yield f"{place}: {str(one)[:300]} and {str(other)[:300]}"


def load(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    # What names files and their lengths.
    report["inputs"] = None
    report.pop("part_of", None)
    return report


def compare(one, other, leave_out=()):
    """All places where two reports differ, but for the parts that are left out."""
    one, other = load(one), load(other)
    for name in leave_out:
        place, _, last = name.rpartition(".")
        for report in (one, other):
            (report[place] if place else report)[last] = None
    return list(differences(one, other))


if __name__ == "__main__":
    found = compare(sys.argv[1], sys.argv[2], sys.argv[3:])
    print("\n".join(found[:40]), len(found), sep="\n")
    sys.exit(bool(found))
