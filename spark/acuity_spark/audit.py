"""Tables to audits: the sites of a collection in parts, each with its companions, each audited by the program."""

import glob
import hashlib
import json
import os
import shutil
import tempfile
import time

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.parquet as parquet
from pyspark.sql import functions as F

from . import problems
from .companions import ROW, needed_keys, of_keys, originals, sitemaps, spellings, with_links
from .program import DONE, UNREADABLE, USAGE

# Captures of a part: more than these do not fit an executor of 4 GB.
MAX_ROWS = 3_000_000

# Parts at most: that many are the buckets of the tables.
MAX_PARTS = 1024

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


def fingerprint(output, options, parts, version):
    """What decides the audits of the parts: the tables, the options, the program."""
    state = hashlib.sha256(json.dumps([options, parts, version]).encode())
    for path in sorted(glob.glob(os.path.join(output, "manifest", "*.json"))):
        with open(path, "rb") as file:
            state.update(hashlib.sha256(file.read()).digest())
    return state.hexdigest()


def listed(output):
    """The tables of a collection that are complete: those that the manifest has."""
    tables = {"observations": [], "links": []}
    for path in sorted(glob.glob(os.path.join(output, "manifest", "*.json"))):
        with open(path, encoding="utf-8") as file:
            for part in json.load(file)["files"]:
                kind = part["path"].split("/")[0]
                if kind in tables:
                    tables[kind].append(os.path.join(output, part["path"]))
    return tables


def done_already(folder, stamp):
    """Parts that a run before this one audited, from the same tables and with the same options."""
    done = set()
    for path in glob.glob(os.path.join(folder, "*.done")):
        with open(path, encoding="utf-8") as file:
            number = int(os.path.basename(path)[len("part-") : -len(".done")])
            if file.read() == stamp and os.path.exists(path[: -len("done")] + "json"):
                done.add(number)
    return done


class Part:
    """The tables of one part, written batch after batch, then audited."""

    def __init__(self, job, number):
        self.job, self.number = job, number
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
        columns = [name for name in batch.schema.names if name not in ("own", "part", "place")]
        for name, mask in (("own", is_own), ("companions", compute.invert(is_own))):
            rows = batch.filter(mask).select(columns)
            if rows.num_rows == 0:
                continue
            if name not in self.writers:
                path = os.path.join(self.folder, f"{name}.parquet")
                self.writers[name] = parquet.ParquetWriter(path, rows.schema, compression="zstd", version="2.6")
            self.writers[name].write_batch(rows)
            self.rows[name] += rows.num_rows

    def finish(self):
        """Audits the part; a fault of one part is an outcome, not an exception."""
        start = time.monotonic()
        try:
            code, message = self.audit()
        except Exception as error:
            code, message = UNREADABLE, f"{type(error).__name__}: {error}"
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return {
            "part": self.number,
            "code": code,
            "own": self.rows["own"],
            "companions": self.rows["companions"],
            "seconds": time.monotonic() - start,
            "message": message,
        }

    def audit(self):
        for writer in self.writers.values():
            writer.close()
        if self.fault:
            raise self.fault
        job = self.job
        if "own" not in self.writers:
            return DONE, ""
        arguments = ["audit", "own.parquet", "--part-of", job["collection"], "-j", "1", "-q", "--json=part.json"]
        if "companions" in self.writers:
            arguments += ["--companions", "companions.parquet"]
        code, said = job["program"].run(*arguments, *job["options"], folder=self.folder)
        made = os.path.join(self.folder, "part.json")
        if not os.path.exists(made):
            return code or UNREADABLE, said.strip()
        target = os.path.join(job["folder"], f"part-{self.number:04}.json")
        shutil.copyfile(made, f"{target}.partial")
        os.replace(f"{target}.partial", target)
        with open(os.path.join(job["folder"], f"part-{self.number:04}.done"), "w", encoding="utf-8") as file:
            file.write(job["stamp"])
        return code, said.strip()


def audit_parts(job):
    """Audits the parts of a partition, whose rows come sorted by part."""

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
                    part = Part(job, numbers[start])
                part.add(batch.slice(start, end - start))
                start = end
        if part is not None:
            yield outcomes([part.finish()])

    return run


def run(spark, program, output, options=(), parts=None, crawls=False):
    """Audits all sites of a collection. Gives the worst exit code."""
    output = os.path.abspath(output)
    folder = os.path.join(output, "audit", "parts")
    os.makedirs(folder, exist_ok=True)
    tables = listed(output)
    if not tables["observations"]:
        return USAGE
    options = list(options)
    if crawls:
        # Crawls are found over all captures, in one process: 40 bytes a capture.
        table = os.path.join(output, "audit", "crawls.json")
        dates = [word for option in ("--from", "--to") if option in options for word in (option, options[options.index(option) + 1])]
        code, said = program.run("crawls", output, "-q", "-o", table, *dates)
        if code not in (DONE, UNREADABLE):
            raise RuntimeError(f"acuity crawls: {said}")
        options += ["--crawls", table]
    table = spark.read.parquet(*tables["observations"])
    rows = table.select("*", F.col("_metadata.file_path").alias("place"))
    if parts is None:
        parts = max(1, min(MAX_PARTS, max(spark.sparkContext.defaultParallelism, rows.count() // (MAX_ROWS // 8))))
    stamp = fingerprint(output, options, parts, program.version())
    done = done_already(folder, stamp)
    keys = of_keys(table, parts).where(~F.col("part").isin(sorted(done)) if done else F.lit(True)).cache()
    every_key = of_keys(table, parts).cache() if done else keys
    for path in glob.glob(os.path.join(folder, "part-*.json")):
        if int(os.path.basename(path)[len("part-") : -len(".json")]) not in done:
            os.remove(path)
    if keys.isEmpty():
        return DONE
    own = rows.join(keys.select(F.col("key").alias("url_surtkey"), "part"), "url_surtkey").withColumn("own", F.lit(True))
    beside = None
    if tables["links"]:
        links = spark.read.parquet(*tables["links"])
        wanted = needed_keys(table, links, every_key)
        if done:
            wanted = wanted.where(~F.col("part").isin(sorted(done)))
        beside = rows.join(wanted.withColumnRenamed("key", "url_surtkey"), "url_surtkey")
    spelled = spellings(links, keys).union(with_links(links, keys)) if beside is not None else None
    in_parts = own.drop("own") if beside is None else own.drop("own").unionByName(beside)
    more = originals(in_parts, table).union(sitemaps(table, keys).select("part", *ROW))
    more = more if spelled is None else more.union(spelled)
    more = rows.join(more.distinct(), ROW)
    beside = more if beside is None else beside.unionByName(more)
    # A capture that is needed for several reasons, or is of the part itself, is given once.
    beside = beside.dropDuplicates(["part", *ROW]).join(own.select("part", *ROW), ["part", *ROW], "left_anti")
    everything = own.unionByName(beside.withColumn("own", F.lit(False)))
    job = {
        "program": program,
        "collection": output,
        "options": options,
        "folder": folder,
        "stamp": stamp,
    }
    order = ["part", "place", "url_surtkey", "fetch_time", "ordinal"]
    shares = everything.repartition(min(parts, spark.sparkContext.defaultParallelism * 8), "part").sortWithinPartitions(*order)
    outcomes = [row.asDict() for row in shares.mapInArrow(audit_parts(job), OUTCOME).collect()]
    failed = [outcome for outcome in outcomes if not os.path.exists(os.path.join(folder, f"part-{outcome['part']:04}.done"))]
    found = [
        problems.problem(
            "audit-failed",
            f"part {outcome['part']}",
            f"the part was not audited (exit code {outcome['code']}): {outcome['message'][-500:]}",
        )
        for outcome in failed
        if outcome["own"] or outcome["code"]
    ]
    problems.write(output, "spark-audit", found)
    with open(os.path.join(output, "audit", "parts.json"), "w", encoding="utf-8") as file:
        json.dump(sorted(outcomes, key=lambda outcome: outcome["part"]), file, indent=1)
    return UNREADABLE if found else DONE
