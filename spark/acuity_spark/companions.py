"""Which captures of other sites a site is judged by, as joins.

A site's figures depend on its own captures and on its companions: what its pages link to and embed, what that embeds in turn, where it
redirects to, the robots.txt of those hosts, sitemaps that name its pages, and the originals of its revisits. Captures are called by the
archive that they lie in and their number there.
"""

import json
from urllib.parse import urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

# Links that lead a reader away: their targets are looked at, but not what those need in turn.
LEADS_AWAY = ["anchor", "relation", "form", "refresh", "redirect", "sitemap", "base", "source", "machine"]

# Redirects and style sheets that lead to each other: longer chains are cut.
MAX_ROUNDS = 12

ROW = ["warc_filename", "ordinal"]


def of_keys(observations: DataFrame) -> DataFrame:
    """The site of every key, that of its first capture, as the program groups pages: `key`, `site`, `bucket`, `rows`."""
    first = F.min(F.struct("fetch_time", "fetch_time_end", "url", "site", "bucket")).alias("first")
    by_key = observations.groupBy("url_surtkey").agg(first, F.count("*").alias("rows"))
    return by_key.select(F.col("url_surtkey").alias("key"), "first.site", "first.bucket", "rows")


def robots(column):
    return F.concat(F.substring_index(column, ")", 1), F.lit(")/robots.txt"))


def needed_keys(observations: DataFrame, links: DataFrame, keys: DataFrame, parts: list) -> DataFrame:
    """Keys in other parts that these parts need: `part`, `key`."""
    owned = keys.select("key", F.col("part").alias("owner")).cache()
    edges = links.select("src_key", "dest_key", "kind").distinct().cache()
    redirects = (
        observations.where("redirect_surtkey IS NOT NULL")
        .select(F.col("url_surtkey").alias("src_key"), F.col("redirect_surtkey").alias("dest_key"))
        .distinct()
        .cache()
    )

    def elsewhere(found):
        """Of keys those that were captured, in another part than the one that needs them; with their robots.txt."""
        found = found.distinct()
        found = found.union(found.select("part", robots(F.col("key")).alias("key"))).distinct()
        return found.join(owned, "key").where("owner <> part").select("part", "key")

    def follow(frontier, edges):
        pointing = edges.withColumnRenamed("src_key", "key")
        return frontier.join(pointing, "key").select("part", F.col("dest_key").alias("key"))

    own = keys.where(F.col("part").isin(parts)).select("part", "key")
    found = elsewhere(follow(own, edges.select("src_key", "dest_key")).union(follow(own, redirects))).localCheckpoint()
    # What a robots.txt or a page that was never captured needs is nothing.
    everything, frontier = found, found
    in_turn = edges.where(~F.col("kind").isin(LEADS_AWAY)).select("src_key", "dest_key").union(redirects).distinct().cache()
    for _ in range(MAX_ROUNDS):
        if frontier.isEmpty():
            break
        # A companion may lead back into the part, and out of it again: the way is followed wherever it goes.
        frontier = elsewhere(follow(frontier, in_turn)).join(everything, ["part", "key"], "left_anti").localCheckpoint()
        everything = everything.union(frontier)
    return everything


def spellings(links: DataFrame, keys: DataFrame) -> DataFrame:
    """Captures that show how the target of a link is written: `part` and the capture.

    A site calls a page that several URLs lead to as its own pages write it. What only files of other sites lead to, such as their style
    sheets, is called by the first URL in the alphabet, whichever page of the collection has it: a part needs a capture that has this one.
    """
    first = F.min(F.struct("dest", *ROW)).alias("first")
    everywhere = links.groupBy("dest_key").agg(first)
    own = links.join(keys.select(F.col("key").alias("src_key"), "part"), "src_key").groupBy("part", "dest_key").agg(F.min("dest").alias("dest"))
    other = own.join(everywhere, "dest_key").where("first.dest < dest")
    return other.select("part", "first.warc_filename", "first.ordinal").distinct()


def with_links(links: DataFrame, keys: DataFrame) -> DataFrame:
    """For every part one capture that has links: it shows that links were read, also where the captures of the part have none."""
    one = links.agg(F.min(F.struct(*ROW)).alias("one")).where("one IS NOT NULL").select("one.*")
    return keys.select("part").distinct().crossJoin(one).select("part", *ROW)


def sitemap_sites(batches):
    """For every sitemap the sites of what it lists."""
    for batch in batches:
        out = {"warc_filename": [], "ordinal": [], "named": []}
        for row in batch.to_pylist():
            try:
                hosts = {urlsplit(entry.get("url") or "").hostname or "" for entry in json.loads(row["sitemap"])}
            except (ValueError, TypeError, AttributeError):
                continue
            for host in sorted(hosts - {""}):
                out["warc_filename"].append(row["warc_filename"])
                out["ordinal"].append(row["ordinal"])
                out["named"].append(host[4:] if host.startswith("www.") else host)
        yield pa.RecordBatch.from_pydict(
            out, pa.schema([("warc_filename", pa.string()), ("ordinal", pa.int64()), ("named", pa.string())])
        )


def sitemaps(observations: DataFrame, keys: DataFrame) -> DataFrame:
    """Sitemaps that name pages of a part, wherever they lie: `part` and the capture."""
    listed = observations.where("sitemap IS NOT NULL").select(*ROW, "sitemap")
    named = listed.mapInArrow(sitemap_sites, "warc_filename string, ordinal long, named string")
    sites = keys.select(F.col("site").alias("named"), "part").distinct()
    return named.join(sites, "named").select("part", *ROW).distinct()


def originals(rows: DataFrame, observations: DataFrame) -> DataFrame:
    """The captures that the revisits of `rows` (with `part`) may refer to: `part` and the capture.

    By record id, by URL and second, by digest and URL, by digest: of every key the one capture that the program would take, and what
    speaks against that one. The digest of a capture is the one that it declares, or else the one that was computed. Captures are brought
    down to one a key before they are joined, and revisits to one a part and key, so that a digest that half of the collection has (an
    empty body, one error page) costs no more than another.
    """
    second = F.floor(F.unix_micros(F.col("fetch_time")) / 1_000_000)
    explained = F.col("digest_covers").isNotNull() & (F.col("digest_covers") != "empty")
    refuted = F.coalesce(~F.col("digest_ok") & ~explained, F.lit(False))
    worth = F.struct(
        F.col("body").isNull().alias("a"),
        F.col("content_truncated").isNotNull().alias("b"),
        refuted.alias("c"),
        F.col("fetch_time").isNull().alias("d"),
        F.col("fetch_time").alias("e"),
        F.col("body").alias("f"),
        *[F.col(name) for name in ROW],
    ).alias("worth")
    has_digest = F.col("content_digest").isNotNull()
    digest = F.concat_ws(":", "content_digest_algorithm", "content_digest")
    held = F.when(has_digest, digest).otherwise(F.col("payload"))
    captures = observations.where("kind IN ('response', 'resource')")

    def tagged(tag, *columns):
        return F.concat_ws("\x1f", F.lit(tag), *[column.cast("string") for column in columns])

    offered = [
        captures.where("warc_record_id IS NOT NULL").select(tagged("i", F.col("warc_record_id")).alias("sought"), worth),
        captures.where("fetch_time IS NOT NULL").select(tagged("d", F.col("url"), second).alias("sought"), worth),
        captures.where(held.isNotNull()).select(tagged("u", held, F.col("url")).alias("sought"), worth),
        captures.where(held.isNotNull()).select(tagged("s", held).alias("sought"), worth),
    ]
    referred = F.floor(F.unix_micros(F.col("refers_to_time")) / 1_000_000)
    revisits = rows.where("kind = 'revisit'")
    asked = [
        revisits.where("refers_to_record_id IS NOT NULL").select("part", tagged("i", F.col("refers_to_record_id")).alias("sought")),
        revisits.where("refers_to_url IS NOT NULL AND refers_to_time IS NOT NULL").select(
            "part", tagged("d", F.col("refers_to_url"), referred).alias("sought")
        ),
        revisits.where(has_digest).select("part", tagged("u", digest, F.col("url")).alias("sought")),
        revisits.where(has_digest).select("part", tagged("s", digest).alias("sought")),
    ]
    asked = asked[0].union(asked[1]).union(asked[2]).union(asked[3]).distinct()
    offered = offered[0].union(offered[1]).union(offered[2]).union(offered[3])
    best = offered.groupBy("sought").agg(F.min("worth").alias("worth"))
    # It is used several times: without a checkpoint each use would make the whole plan again, within plans that do so too.
    chosen = asked.join(best, "sought").select("part", "worth.warc_filename", "worth.ordinal").distinct().localCheckpoint()
    return chosen.union(copies(chosen, captures)).distinct()


def copies(chosen: DataFrame, captures: DataFrame) -> DataFrame:
    """Records with the id of a chosen one, whose content may differ, and cut copies of it: `part` and the capture."""
    id_of = F.lower("warc_record_id").alias("id")
    moment = [F.col("url_surtkey"), F.col("body"), F.floor(F.unix_micros(F.col("fetch_time")) / 1_000_000).alias("second")]
    found = captures.join(chosen, ROW)
    by_id = found.select("part", id_of).distinct().join(captures.select(id_of, *ROW), "id")
    cut = captures.where("content_truncated IS NOT NULL").select(*moment, *ROW)
    by_body = found.select("part", *moment).distinct().join(cut, ["url_surtkey", "body", "second"])
    return by_id.select("part", *ROW).union(by_body.select("part", *ROW))
