"""Tables to audits: the sites of a collection in parts, each with its companions, each audited by the program."""

import glob
import hashlib
import json
import os
import sys

from pyspark.sql import functions as F

from . import problems, two_levels
from .companions import ROW, needed_keys, of_keys, originals, sitemaps, spellings, with_links
from .parts import Work, forget, is_done, outcome_of, perform
from .program import DONE, UNREADABLE, USAGE

# Captures of a site that an executor of 4 GB holds: larger ones are audited in two levels.
MAX_ROWS = 3_000_000

# The tables divide sites into so many buckets.
BUCKETS = 1024


def fingerprint(output, *decides):
    """What decides the audits of the parts: the tables, and options, program and division."""
    state = hashlib.sha256(json.dumps(decides).encode())
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


def find_crawls(program, output, options):
    """Finds the crawls over all captures, in one process: 40 bytes a capture. Gives the file."""
    table = os.path.join(output, "audit", "crawls.json")
    os.makedirs(os.path.dirname(table), exist_ok=True)
    dates = [word for option in ("--from", "--to") if option in options for word in (option, options[options.index(option) + 1])]
    code, said = program.run("crawls", output, "-q", "-o", table, *dates)
    if code not in (DONE, UNREADABLE):
        raise RuntimeError(f"acuity crawls: {said}")
    return table


class Collection:
    """The captures of a collection, divided into parts."""

    def __init__(self, spark, tables, parts, limit, large):
        self.table = spark.read.parquet(*tables["observations"])
        self.links = spark.read.parquet(*tables["links"]) if tables["links"] else None
        self.rows = self.table.select("*", F.col("_metadata.file_path").alias("place"))
        if parts is None:
            needed = self.table.count() // (MAX_ROWS // 8)
            parts = max(1, spark.sparkContext.defaultParallelism, needed)
        # Above the number of buckets, each is divided as often as needed.
        self.parts = parts if parts <= BUCKETS else -(-parts // BUCKETS) * BUCKETS
        found = of_keys(self.table).cache()
        self.large = two_levels.large_sites(found, limit) if large else []
        self.shards = two_levels.Shards(self.large, self.parts, limit)
        self.keys = in_parts(spark, found, self.parts, self.large).cache()
        self.partitions = spark.sparkContext.defaultParallelism * 8

    def own(self, todo):
        keys = self.keys.where(F.col("part").isin(todo))
        return self.rows.join(keys.select(F.col("key").alias("url_surtkey"), "part"), "url_surtkey")

    def beside(self, todo, own):
        """The companions of the parts: a capture that is needed for several reasons, or is of the part itself, is given once."""
        keys = self.keys.where(F.col("part").isin(todo))
        more = sitemaps(self.table, keys).select("part", *ROW)
        reached = own
        if self.links is not None:
            wanted = needed_keys(self.table, self.links, self.keys, todo).withColumnRenamed("key", "url_surtkey")
            found = self.rows.join(wanted, "url_surtkey")
            reached = own.unionByName(found)
            more = more.union(spellings(self.links, keys)).union(with_links(self.links, keys)).union(found.select("part", *ROW))
        more = more.union(originals(reached, self.table)).distinct()
        return self.rows.join(more, ROW).join(own.select("part", *ROW), ["part", *ROW], "left_anti")


def in_parts(spark, keys, parts, large):
    """The part of every key: `key`, `site`, `part`. A large site is a part of its own, behind the others."""
    if parts <= BUCKETS:
        part = F.col("bucket") % F.lit(parts)
    else:
        part = F.col("bucket") + F.lit(BUCKETS) * F.pmod(F.xxhash64("site"), F.lit(parts // BUCKETS)).cast("int")
    # What has no site (dns:, urn:) is counted in the first part.
    part = F.coalesce(part, F.lit(0)).cast("int")
    if not large:
        return keys.select("key", "site", part.alias("part"))
    places = [(site, parts + place) for place, (site, _) in enumerate(large)]
    own = F.broadcast(spark.createDataFrame(places, "site string, own_part int"))
    return keys.join(own, "site", "left").select("key", "site", F.coalesce("own_part", part).alias("part"))


def run(spark, program, output, options=(), parts=None, crawls=False, limit=MAX_ROWS):
    """Audits all sites of a collection. Gives the worst exit code."""
    output = os.path.abspath(output)
    os.makedirs(os.path.join(output, "audit", "parts"), exist_ok=True)
    tables = listed(output)
    if not tables["observations"]:
        return USAGE
    options = list(options)
    divided = None if crawls else two_levels.divide_options(options)
    if divided is None:
        print("acuity-spark: with these options every site is audited in one piece, however large", file=sys.stderr)
    if crawls:
        options += ["--crawls", find_crawls(program, output, options)]
    collection = Collection(spark, tables, parts, limit, divided is not None)
    parts, large = collection.parts, collection.large
    stamp = fingerprint(output, options, parts, limit, large, program.version())
    target = os.path.join(output, "audit", "parts", "part-{part}.json")
    made = how_made(output)
    work = Work(program, output, tuple(options), stamp, target, made=made)
    numbers = [row.part for row in collection.keys.select("part").distinct().collect()]
    todo = sorted(number for number in numbers if not work.is_done(number))
    known = {work.path(number) for number in numbers if number not in todo}
    for path in set(glob.glob(work.target.format(part="*"))) - known:
        forget(path)
    for path in glob.glob(two_levels.path_of_shard(output).format(part="*")):
        if not is_done(path, stamp):
            forget(path)
    if not todo:
        return DONE
    own = collection.own(todo)
    beside = collection.beside(todo, own).cache()
    outcomes, failed = [], []
    one_piece = [number for number in todo if number < parts]
    if one_piece:
        some = F.col("part").isin(one_piece)
        rows = own.where(some).withColumn("own", F.lit(True)).unionByName(beside.where(some).withColumn("own", F.lit(False)))
        outcomes += perform(rows, work, min(len(one_piece), collection.partitions))
    in_shards = [number for number in todo if number >= parts]
    if in_shards:
        some = F.col("part").isin(in_shards)
        made, failed = reduce_shards(collection, work, divided, own.where(some), beside.where(some), in_shards)
        outcomes += made
    beside.unpersist()
    failed += [(f"part {one['part']}", one) for one in outcomes if (one["own"] or one["code"]) and not work.is_done(one["part"])]
    names = {f"part {parts + place}": site for place, (site, _) in enumerate(large)}
    found = [
        problems.problem(
            "audit-failed",
            names.get(name, name),
            f"{name} was not audited (exit code {outcome['code']}): {outcome['message'][-500:]}",
        )
        for name, outcome in failed
    ]
    problems.write(output, "spark-audit", found)
    write_outcomes(output, work, numbers, outcomes)
    return UNREADABLE if found else DONE


def write_outcomes(output, work, numbers, outcomes):
    """What became of all parts, in this run or before it, and apart from that how long those of this run took."""
    seconds = {one["part"]: one.pop("seconds") for one in outcomes}
    made = {one["part"]: one for one in outcomes}
    every = [outcome_of(work.path(number), work.stamp) or made.get(number) for number in sorted(numbers)]
    for name, content in (("parts", [one for one in every if one]), ("seconds", seconds)):
        with open(os.path.join(output, "audit", f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, sort_keys=True)


def how_made(output):
    """The note of the parts' tables: digests were recomputed if that is so in all tables."""
    digests = set()
    for path in glob.glob(os.path.join(output, "manifest", "*.json")):
        with open(path, encoding="utf-8") as file:
            digests.add(json.load(file)["options"]["digests"])
    return json.dumps({"digests": "verify" if digests == {"verify"} else "declared"})


def reduce_shards(collection, work, options, own, beside, parts):
    """Audits large sites in two levels. Gives the outcomes of the second, and of the first what failed."""
    of_records, of_figures = options
    target = two_levels.path_of_shard(work.collection)
    shards, table, rows = collection.shards, collection.table, collection.rows
    first = Work(work.program, work.collection, of_records, work.stamp, target, "pages", made=work.made)
    mapped = two_levels.rows_of_shards(own, rows, table, shards).cache()
    numbers = [row.part for row in mapped.where("own").select("part").distinct().collect()]
    todo = sorted(number for number in numbers if not first.is_done(number))
    outcomes = []
    if todo:
        outcomes = perform(mapped.where(F.col("part").isin(todo)), first, min(len(todo), collection.partitions))
    mapped.unpersist()
    failed = [(f"shard {one['part']}", one) for one in outcomes if not first.is_done(one["part"])]
    records = {part: [first.path(number) for number in shards.of_part(part) if number in numbers] for part in parts}
    ready = [part for part in parts if all(first.is_done(number) for number in shards.of_part(part) if number in numbers)]
    if not ready:
        return [], failed
    some = F.col("part").isin(ready)
    captures = two_levels.judged_by(own.where(some), beside.where(some), rows, table)
    second = Work(work.program, work.collection, of_figures, work.stamp, work.target, "reduce", records, work.made)
    return perform(captures, second, min(len(ready), collection.partitions)), failed
