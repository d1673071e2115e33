"""Problems of a job, in the columns of the program's own tables."""

import glob
import json
import os

import pyarrow as pa
import pyarrow.parquet as parquet

SCHEMA = pa.schema(
    [
        ("level", pa.string()),
        ("kind", pa.string()),
        ("file", pa.string()),
        ("offset", pa.int64()),
        ("record_id", pa.string()),
        ("message", pa.string()),
        ("remedy", pa.string()),
    ]
)


def problem(kind, file, message, remedy=None, level="error"):
    return {
        "level": level,
        "kind": kind,
        "file": file,
        "offset": None,
        "record_id": None,
        "message": message,
        "remedy": remedy,
    }


def write(folder, name, problems):
    """Writes the problems of one stage; a stage without any has no table."""
    path = os.path.join(folder, "problems", f"{name}.parquet")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not problems:
        if os.path.exists(path):
            os.remove(path)
        return
    rows = sorted(problems, key=lambda row: (row["file"], row["kind"], row["message"]))
    partial = f"{path}.partial"
    parquet.write_table(pa.Table.from_pylist(rows, SCHEMA), partial, compression="zstd")
    os.replace(partial, path)


def read(folder):
    """All problems of a collection, in the order of its tables; at the end, why archives were left out of it."""
    for path in sorted(glob.glob(os.path.join(folder, "problems", "*.parquet"))):
        yield from parquet.read_table(path, schema=SCHEMA).to_pylist()
    for trace in left_out(folder):
        yield from trace["problems"]


def left_out(folder):
    """What the program notes of archives that it could not read: `path`, `problems`."""
    for path in sorted(glob.glob(os.path.join(folder, "left-out", "*.json"))):
        with open(path, encoding="utf-8") as file:
            yield json.load(file)


def write_lines(folder, path):
    """All problems as lines of JSON, as the program takes them."""
    with open(path, "w", encoding="utf-8") as out:
        for row in read(folder):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
