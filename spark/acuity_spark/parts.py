"""Parts of a collection on executors: the tables of a part, written batch after batch, then handed to the program."""

import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from .program import DONE, UNREADABLE, Program

OUTCOME = "part int, code int, own long, companions long, seconds double, message string"
OUTCOMES = pa.schema(
    [
        ("part", pa.int32()),
        ("code", pa.int32()),
        ("own", pa.int64()),
        ("companions", pa.int64()),
        ("seconds", pa.float64()),
        ("message", pa.string()),
    ]
)

# Columns that say where a row goes; the program does not know them.
OF_JOB = ("own", "part", "place")


@dataclass(frozen=True)
class Work:
    """What is done with every part: which command, and where its result goes."""

    program: Program
    collection: str
    options: tuple
    # What decides the results: a result with another stamp is made again.
    stamp: str
    # `{part}` stands for the number of the part.
    target: str
    command: str = "audit"
    # For every part the page records that its figures are made from.
    records: dict = None
    # What the tables of the collection note of how they were made.
    made: str = ""

    def path(self, number):
        return self.target.format(part=f"{number:05}")

    def is_done(self, number):
        return is_done(self.path(number), self.stamp)

    def arguments(self, number, tables, made):
        """The command for a part whose tables lie in the current folder."""
        beside = ["companions.parquet"] if "companions" in tables else []
        if self.command == "pages":
            words = ["pages", "own.parquet", "--part-of", self.collection, "--out", made]
            words += ["--companions", *beside] if beside else []
        elif self.command == "reduce":
            words = ["audit", *self.records[number], f"--json={made}", "--captures", *beside]
        else:
            words = ["audit", "own.parquet", "--part-of", self.collection, f"--json={made}"]
            words += ["--companions", *beside] if beside else []
        return [*words, "-j", "1", "-q", *self.options]


def outcome_of(path, stamp):
    """What became of a part whose file a run made, from the same tables and with the same options; None if none did."""
    try:
        with open(f"{path}.done", encoding="utf-8") as file:
            done = json.load(file)
        return done["outcome"] if done["stamp"] == stamp and os.path.exists(path) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_done(path, stamp):
    return outcome_of(path, stamp) is not None


def put(made, path, stamp, outcome):
    """Moves a result to where it belongs: it is there as a whole, or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    partial = f"{path}.partial"
    shutil.copyfile(made, partial)
    os.replace(partial, path)
    with open(f"{path}.done.partial", "w", encoding="utf-8") as file:
        json.dump({"stamp": stamp, "outcome": outcome}, file)
    os.replace(f"{path}.done.partial", f"{path}.done")


def forget(path):
    """Removes a result and what says that it is done."""
    for name in (f"{path}.done", path):
        if os.path.exists(name):
            os.remove(name)


class Part:
    """The tables of one part."""

    def __init__(self, work, number):
        self.work, self.number = work, number
        self.folder = tempfile.mkdtemp(prefix="acuity-part-")
        self.writers, self.rows, self.fault = {}, {"own": 0, "companions": 0}, None

    def add(self, batch):
        """Adds rows; what goes wrong is said at the end."""
        try:
            self.fault or self.write(batch)
        except Exception as error:
            self.fault = error

    def write(self, batch):
        is_own = batch.column("own")
        columns = [name for name in batch.schema.names if name not in OF_JOB]
        for name, mask in (("own", is_own), ("companions", compute.invert(is_own))):
            rows = batch.filter(mask).select(columns)
            if rows.num_rows == 0:
                continue
            if name not in self.writers:
                path = os.path.join(self.folder, f"{name}.parquet")
                schema = rows.schema.with_metadata({"made": self.work.made})
                self.writers[name] = parquet.ParquetWriter(path, schema, compression="zstd", version="2.6")
            self.writers[name].write_batch(rows)
            self.rows[name] += rows.num_rows

    def finish(self):
        """Has the program do its work; a fault of one part is an outcome, not an exception."""
        start = time.monotonic()
        try:
            code, message = self.perform()
        except Exception as error:
            code, message = UNREADABLE, f"{type(error).__name__}: {error}"
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return {**self.outcome(code, message), "seconds": time.monotonic() - start}

    def outcome(self, code, message):
        return {"part": self.number, "code": code, **self.rows, "message": message}

    def perform(self):
        for writer in self.writers.values():
            writer.close()
        if self.fault:
            raise self.fault
        work, path = self.work, self.work.path(self.number)
        if "own" not in self.writers and work.command != "reduce":
            return DONE, ""
        made = f"made{os.path.splitext(path)[1]}"
        code, said = work.program.run(*work.arguments(self.number, self.writers, made), folder=self.folder)
        made = os.path.join(self.folder, made)
        if not os.path.exists(made):
            return code or UNREADABLE, said.strip()
        put(made, path, work.stamp, self.outcome(code, said.strip()))
        return code, said.strip()


def perform_parts(work):
    """Does the work for the parts of a partition, whose rows come sorted by part."""

    def outcomes(rows):
        return pa.RecordBatch.from_pylist(rows, OUTCOMES)

    def run(batches):
        part = None
        for batch in batches:
            numbers = batch.column("part").to_pylist()
            start = 0
            while start < len(numbers):
                end = start
                while end < len(numbers) and numbers[end] == numbers[start]:
                    end += 1
                if part is not None and part.number != numbers[start]:
                    yield outcomes([part.finish()])
                    part = None
                if part is None:
                    part = Part(work, numbers[start])
                part.add(batch.slice(start, end - start))
                start = end
        if part is not None:
            yield outcomes([part.finish()])

    return run


def perform(rows, work, partitions):
    """Does the work for all parts of `rows`, on the executors. Gives the outcomes."""
    order = ["part", "place", "url_surtkey", "fetch_time", "ordinal"]
    shares = rows.repartition(partitions, "part").sortWithinPartitions(*order)
    return [row.asDict() for row in shares.mapInArrow(perform_parts(work), OUTCOME).collect()]
