"""Views of a collection under the names that users of Archives Unleashed know, and a CDXJ of it."""

import os

from pyspark.sql import functions as F


def crawl_date(column="fetch_time"):
    return F.date_format(column, "yyyyMMddHHmmss").alias("crawl_date")


def webpages(observations):
    """Pages that answered 200: one row a capture."""
    is_page = "fetch_status = 200 AND (content_mime_type LIKE 'text/html%' OR content_mime_type LIKE 'application/xhtml+xml%')"
    return observations.where(is_page).select(
        crawl_date(),
        F.col("url_host_registered_domain").alias("domain"),
        "url",
        F.col("content_mime_type").alias("mime_type_web_server"),
        F.col("fetch_status").alias("http_status_code"),
        F.col("warc_filename").alias("archive_filename"),
    )


def webgraph(links):
    """Links from page to page. The text of links is not kept, so `anchor` is null."""
    return links.where("kind = 'anchor'").select(crawl_date(), "src", "dest", F.lit(None).cast("string").alias("anchor"))


def imagegraph(links):
    """Images that pages show. Their alternative text is not kept, so `alt_text` is null."""
    return links.where("kind = 'image'").select(
        crawl_date(), "src", F.col("dest").alias("image_url"), F.lit(None).cast("string").alias("alt_text")
    )


def cdxj(observations):
    """Lines of a CDXJ, sorted as replay wants them."""
    stamp = F.date_format("fetch_time", "yyyyMMddHHmmss")
    digest = F.concat_ws(":", "content_digest_algorithm", "content_digest")
    fields = F.to_json(
        F.struct(
            F.col("url"),
            F.when(F.col("kind") == "revisit", F.lit("warc/revisit")).otherwise(F.col("content_mime_type")).alias("mime"),
            F.col("fetch_status").cast("string").alias("status"),
            F.when(F.col("content_digest").isNotNull(), digest).alias("digest"),
            F.col("warc_record_length").cast("string").alias("length"),
            F.col("warc_record_offset").cast("string").alias("offset"),
            F.element_at(F.split("warc_filename", "/"), -1).alias("filename"),
        )
    )
    line = F.concat_ws(" ", "url_surtkey", stamp, fields).alias("value")
    return observations.where("fetch_time IS NOT NULL AND site IS NOT NULL").select(line).orderBy("value")


def run(spark, program, output):
    """Writes `views/webpages`, `views/webgraph`, `views/imagegraph` and `views/cdxj`."""
    output = os.path.abspath(output)
    observations = spark.read.parquet(os.path.join(output, "observations"))
    folder = os.path.join(output, "views")
    webpages(observations).write.mode("overwrite").parquet(os.path.join(folder, "webpages"))
    if os.path.isdir(os.path.join(output, "links")):
        links = spark.read.parquet(os.path.join(output, "links"))
        webgraph(links).write.mode("overwrite").parquet(os.path.join(folder, "webgraph"))
        imagegraph(links).write.mode("overwrite").parquet(os.path.join(folder, "imagegraph"))
    cdxj(observations).write.mode("overwrite").text(os.path.join(folder, "cdxj"))
    return 0
