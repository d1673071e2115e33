"""Audits of parts to one report of the collection."""

import glob
import os
import tempfile

from . import problems
from .program import UNREADABLE, USAGE


def run(program, output, options=()):
    """Puts the audits of the parts together: `audit/report.json` and `audit/report.html`. Gives an exit code."""
    output = os.path.abspath(output)
    parts = sorted(glob.glob(os.path.join(output, "audit", "parts", "part-*.json")))
    if not parts:
        return USAGE, "there are no audits of parts: run `acuity-spark audit` first"
    with tempfile.TemporaryDirectory(prefix="acuity-") as scratch:
        found = os.path.join(scratch, "problems.jsonl")
        problems.write_lines(output, found)
        made = {name: os.path.join(output, "audit", f"report.{name}") for name in ("json", "html")}
        code, said = program.run(
            "report",
            "--merge",
            *parts,
            "--part-of",
            output,
            "--add-problems",
            found,
            f"--json={made['json']}",
            f"--html={made['html']}",
            *options,
        )
        with open(found, encoding="utf-8") as lines:
            is_damaged = any('"level": "error"' in line for line in lines)
    return (UNREADABLE if code == 0 and is_damaged else code), said
