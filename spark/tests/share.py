"""One executor's share of a large collection, generated as Parquet in the columns that the program writes.

Sites of equal size: every page has twelve links on its site and two images of a host that all sites embed from, and was captured in every
crawl. Of the sites of the collection, a share has every n-th.
"""

import glob
import os
import subprocess

import generate
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet

# Pages of a site, times that each was captured, links on a page, images that all sites share.
PAGES, CRAWLS, LINKS, IMAGES = 500, 10, 12, 2000

# Captures of one table.
TABLE = 500_000


def texts(*parts):
    """Texts put together from arrays and constants."""
    parts = [pc.cast(pa.array(part), pa.string()) if isinstance(part, np.ndarray) else pa.scalar(part) for part in parts]
    return pc.binary_join_element_wise(*parts, "")


def fixed(rows):
    """Rows of 32 bytes as one array."""
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(32), len(rows), [None, pa.py_buffer(rows.tobytes())])


def hashes(*numbers):
    """32 bytes for each place that depend on the numbers there alone."""
    state = np.zeros(len(numbers[0]), np.uint64)
    words = []
    for word in range(4):
        for number in numbers:
            state = (state ^ number.astype(np.uint64) ^ np.uint64(word + 1)) * np.uint64(0x9E3779B97F4A7C15)
            state ^= state >> np.uint64(29)
        words.append(state.copy())
    return np.stack(words, 1).view(np.uint8)


def digests(rows):
    """Hashes as SHA-1 is written."""
    letters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", np.uint8)
    return fixed(letters[rows & 31]).cast(pa.binary()).cast(pa.string())


class Tables:
    """Writes the tables of a collection, as `acuity index` would."""

    def __init__(self, acuity, folder, output):
        small = os.path.join(folder, "small")
        generate.write(small, 1)
        subprocess.run([acuity, "index", small, "--content", "--format", "parquet", "--out", output, "-q"], check=False)
        [self.path] = glob.glob(os.path.join(output, "observations", "*.parquet"))
        [self.links] = glob.glob(os.path.join(output, "links", "*.parquet"))
        [self.manifest] = glob.glob(os.path.join(output, "manifest", "*.json"))
        rows = parquet.read_table(self.path).to_pylist()
        self.template = next(row for row in rows if row["kind"] == "response" and row["fetch_status"] == 200)
        self.schema, self.links_schema = parquet.read_schema(self.path), parquet.read_schema(self.links)
        self.output, self.number, self.captures, self.bytes = output, 0, 0, 0
        for path in (self.path, self.links, self.manifest):
            os.remove(path)

    def table(self, schema, columns, length, template):
        arrays = []
        for field in schema:
            given = columns.get(field.name)
            if given is None:
                given = pa.repeat(pa.scalar(template.get(field.name), field.type), length)
            arrays.append(given if given.type == field.type else pc.cast(given, field.type))
        return pa.Table.from_arrays(arrays, schema=schema)

    def write(self, site, page, crawl, is_image):
        """Writes captures that are sorted by key and time."""
        length, name = len(site), f"share-{self.number:05}"
        host = texts("cdn", site, ".example") if is_image else texts("site", site, ".example")
        path = texts("i/", page, ".png") if is_image else texts("f", page % 20, "/page", page, ".html")
        key = texts("example,", "cdn" if is_image else "site", site, ")/")
        url, key = pc.binary_join_element_wise("http://", host, "/", path, ""), pc.binary_join_element_wise(key, path, "")
        time = 1_700_000_000_000_000 + crawl.astype(np.int64) * 86_400_000_000 + page * 3_000_000 + site % 1000
        # A page changes in some of the crawls.
        version = crawl // (1 + (page + site) % 4)
        body = hashes(site, page, version)
        ordinal = np.arange(length, dtype=np.int64)
        targets = [] if is_image else [(page + 1 + step) % PAGES for step in range(LINKS)]
        images = [] if is_image else [(page * 7 + site + step) % IMAGES for step in range(2)]
        lists = [texts('{"kind":"anchor","url":"http://site', site, ".example/f", to % 20, "/page", to, '.html"}') for to in targets]
        lists += [texts('{"kind":"image","url":"http://cdn0.example/i/', to, '.png"}') for to in images]
        links = pc.binary_join_element_wise("[", pc.binary_join_element_wise(*lists, ","), "]", "") if lists else pa.nulls(length, pa.string())
        columns = {
            "url": url,
            "url_surtkey": key,
            "url_host_name": host,
            "url_host_registered_domain": host,
            "site": host,
            "bucket": pa.array((site * 7919 % 1024).astype(np.int32)),
            "fetch_time": pa.array(time).cast(self.schema.field("fetch_time").type),
            "body": fixed(body),
            "text": fixed(body),
            "content_digest": digests(body),
            "content_mime_type": pa.repeat(pa.scalar("image/png" if is_image else "text/html"), length),
            "warc_filename": pa.repeat(pa.scalar(f"{name}.warc.gz"), length),
            "warc_record_offset": pa.array(ordinal * 900),
            "warc_record_id": texts("urn:uuid:", site, "-", page, "-", crawl),
            "ordinal": pa.array(ordinal),
            "links": links,
        }
        unknown = dict.fromkeys(["fetch_time_end", "http_date", "last_modified", "payload", "etag", "sitemap"])
        made = {"observations": self.table(self.schema, columns, length, {**self.template, **unknown})}
        if lists:
            made["links"] = self.edges(columns, site, targets, images)
        files = []
        for kind, table in made.items():
            path = os.path.join(self.output, kind, f"{name}.parquet")
            parquet.write_table(table, path, compression="zstd", row_group_size=100_000)
            self.bytes += os.path.getsize(path)
            files.append({"path": f"{kind}/{name}.parquet"})
        with open(os.path.join(self.output, "manifest", f"{name}.json"), "w", encoding="utf-8") as file:
            file.write(repr({"files": files}).replace("'", '"'))
        self.number, self.captures = self.number + 1, self.captures + length

    def edges(self, columns, site, targets, images):
        tables = []
        for place, to in enumerate([*targets, *images]):
            is_image = place >= len(targets)
            path = texts("i/", to, ".png") if is_image else texts("f", to % 20, "/page", to, ".html")
            host = pa.repeat(pa.scalar("cdn0.example"), len(site)) if is_image else columns["site"]
            key = pa.repeat(pa.scalar("example,cdn0)/"), len(site)) if is_image else texts("example,site", site, ")/")
            edge = {
                "src_key": columns["url_surtkey"],
                "src": columns["url"],
                "dest_key": pc.binary_join_element_wise(key, path, ""),
                "dest": pc.binary_join_element_wise("http://", host, "/", path, ""),
                "dest_site": host,
                "kind": pa.repeat(pa.scalar("image" if is_image else "anchor"), len(site)),
                "fetch_time": columns["fetch_time"],
                "warc_filename": columns["warc_filename"],
                "ordinal": columns["ordinal"],
            }
            tables.append(self.table(self.links_schema, edge, len(site), {}))
        return pa.concat_tables(tables)


def write(acuity, folder, output, captures, executors, share):
    """Writes one of `executors` shares of a collection of `captures` captures. Gives how many captures it has, and bytes."""
    tables = Tables(acuity, folder, output)
    sites = np.arange(share, captures // (PAGES * CRAWLS), executors)
    at_once = max(1, TABLE // (PAGES * CRAWLS))
    for start in range(0, len(sites), at_once):
        some = sites[start : start + at_once]
        site, page, crawl = (part.ravel() for part in np.meshgrid(some, np.arange(PAGES), np.arange(CRAWLS), indexing="ij"))
        tables.write(site, page, crawl, False)
    # What all sites embed comes to every executor.
    image, crawl = (part.ravel() for part in np.meshgrid(np.arange(IMAGES), np.arange(CRAWLS), indexing="ij"))
    tables.write(np.zeros_like(image), image, crawl, True)
    return tables.captures, tables.bytes
