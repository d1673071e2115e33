"""Sites that are larger than an executor: page records of their shards, then the figures of all records.

A page record is made from the captures of one URL (and the originals of its revisits), so the captures of a site can be divided by page. The
second level needs all records, and of the captures only what links are judged by: of captures that were answered alike, one.
"""

import os

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from .companions import ROW, originals

# Options of `acuity audit` that decide what page records hold, and those that decide the figures. With any other one, a site is
# audited in one piece.
OF_RECORDS = {"--compare", "--pages", "--from", "--to", "--evidence", "--change-importance"}
OF_FIGURES = {"--importance", "--history", "--sitemap", "--embeds", "--timezone", "--crawl-log", "--skipped", "--rate-prior"}

# What was answered: captures that follow each other and have the same of all these count once.
ANSWER = [
    "url",
    "fetch_status",
    "kind",
    "method",
    "content_mime_type",
    "fetch_redirect",
    "soft404",
    "body",
    "content_digest",
    "content_digest_algorithm",
    "content_truncated",
    "body_length",
    "refers_to_url",
    "refers_to_record_id",
]


def divide_options(options):
    """The options of the records and of the figures; None if one of them needs the captures in one piece."""
    records, figures, current = [], [], None
    for word in options:
        if word.startswith("--"):
            name = word.split("=")[0]
            if name in OF_RECORDS:
                current = records
            elif name in OF_FIGURES:
                current = figures
            else:
                return None
        if current is None:
            return None
        current.append(word)
    return tuple(records), tuple(figures)


def large_sites(keys: DataFrame, limit: int):
    """The sites with more captures than `limit`, by name, each with the number of its captures."""
    sizes = keys.where("site IS NOT NULL").groupBy("site").agg(F.sum("rows").alias("rows"))
    return [(row.site, row.rows) for row in sizes.where(F.col("rows") > limit).orderBy("site").collect()]


class Shards:
    """How the pages of large sites are divided: `parts` are their numbers, shards are numbered through."""

    def __init__(self, sites, first_part, limit):
        self.first, self.count, number = {}, {}, 0
        for place, (_, rows) in enumerate(sites):
            # Half of the limit leaves room for a shard that gets more than its share, and for originals.
            shards = max(2, -(-rows * 2 // limit))
            self.first[first_part + place], self.count[first_part + place] = number, shards
            number += shards

    def of_part(self, part):
        return range(self.first[part], self.first[part] + self.count[part])

    def column(self):
        """The shard of a row, by its part and key."""
        number = F.lit(None).cast("int")
        for part, first in self.first.items():
            own = F.lit(first) + F.pmod(F.xxhash64("url_surtkey"), F.lit(self.count[part])).cast("int")
            number = F.when(F.col("part") == part, own).otherwise(number)
        return number


def rows_of_shards(own: DataFrame, rows: DataFrame, observations: DataFrame, shards: Shards) -> DataFrame:
    """The captures of every shard, called `part` here, with the originals of its revisits beside them."""
    own = own.withColumn("part", shards.column())
    beside = rows.join(originals(own, observations), ROW).join(own.select("part", *ROW), ["part", *ROW], "left_anti")
    return own.withColumn("own", F.lit(True)).unionByName(beside.withColumn("own", F.lit(False)))


def thinned(own: DataFrame) -> DataFrame:
    """Of captures of a URL that follow each other and were answered alike, the first; and all sitemaps, since the last one counts."""
    in_time = Window.partitionBy("part", "url_surtkey").orderBy("fetch_time", "fetch_time_end", *ROW)
    answer = F.struct(*ANSWER)
    is_new = ~answer.eqNullSafe(F.lag(answer).over(in_time)) | F.col("sitemap").isNotNull()
    return own.withColumn("is_new", is_new).where("is_new").drop("is_new")


def judged_by(own: DataFrame, beside: DataFrame, rows: DataFrame, observations: DataFrame) -> DataFrame:
    """What the figures of large sites need besides their page records."""
    captures = thinned(own).unionByName(beside)
    # The original of a revisit may be one of those that were left out.
    captures = captures.unionByName(rows.join(originals(captures, observations), ROW))
    return captures.dropDuplicates(["part", *ROW]).withColumn("own", F.lit(False))


def path_of_shard(output):
    return os.path.join(output, "audit", "pages", "shard-{part}.parquet")
