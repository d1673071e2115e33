"""One executor's share of a large collection, generated as Parquet: bytes a capture, memory of the audit, bytes shuffled.

Usage: scale.py PATH-TO-ACUITY FOLDER CAPTURES...
"""

import glob
import hashlib
import json
import os
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as parquet

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import generate

# Sites of a share, pages of a site, links of a page.
SITES, PAGES, LINKS = 20, 500, 12


def collection(acuity, folder, captures):
    """A collection of `captures` captures: tables in the columns that the program writes, with their manifest."""
    small = os.path.join(folder, "small")
    generate.write(small, 1)
    output = os.path.join(folder, f"share-{captures}")
    subprocess.run([acuity, "index", small, "--content", "--format", "parquet", "--out", output, "-q"], check=False)
    [path] = glob.glob(os.path.join(output, "observations", "*.parquet"))
    table = parquet.read_table(path)
    template = next(row for row in table.to_pylist() if row["kind"] == "response" and row["fetch_status"] == 200)
    schema, rows, links, chance = table.schema, [], [], random.Random(1)
    for number in range(captures):
        site, page = number % SITES, number // SITES % PAGES
        crawl = number // (SITES * PAGES)
        host = f"site{site}.example"
        body = hashlib.sha256(f"{site}/{page}/{crawl // chance.choice([1, 2, 4])}".encode()).digest()
        targets = [f"f{other % 20}/page{other}.html" for other in range(page, page + LINKS)]
        at = 1_700_000_000_000_000 + crawl * 86_400_000_000 + page * 3_000_000 + site
        rows.append(
            {
                **template,
                "url": f"http://{host}/f{page % 20}/page{page}.html",
                "url_surtkey": f"example,site{site})/f{page % 20}/page{page}.html",
                "url_host_name": host,
                "url_host_registered_domain": host,
                "site": host,
                "bucket": site,
                "fetch_time": at,
                "fetch_time_end": None,
                "http_date": None,
                "last_modified": None,
                "body": body,
                "text": body,
                "content_digest": hashlib.sha1(body).hexdigest().upper()[:32],
                "payload": None,
                "warc_record_offset": number * 900,
                "warc_record_id": f"urn:uuid:{number:032x}",
                "ordinal": number,
                "links": json.dumps([{"kind": "anchor", "url": f"http://{host}/{target}"} for target in targets]),
            }
        )
        links += [
            {
                "src_key": rows[-1]["url_surtkey"],
                "src": rows[-1]["url"],
                "dest_key": f"example,site{site})/{target}",
                "dest": f"http://{host}/{target}",
                "dest_site": host,
                "kind": "anchor",
                "fetch_time": at,
                "warc_filename": template["warc_filename"],
                "ordinal": number,
            }
            for target in targets
        ]
    rows.sort(key=lambda row: (row["url_surtkey"], row["fetch_time"]))
    parquet.write_table(pa.Table.from_pylist(rows, schema), path, compression="zstd")
    [beside] = glob.glob(os.path.join(output, "links", "*.parquet"))
    parquet.write_table(pa.Table.from_pylist(links, parquet.read_schema(beside)), beside, compression="zstd")
    return output, path, beside


def measured(arguments):
    """Seconds of processor and peak memory in MB of one run."""
    # In a small process of its own: a child begins with the memory of what it was made from.
    code = (
        "import os, resource, subprocess, sys;"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode;"
        "usage = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(done, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)"
    )
    done, seconds, memory = subprocess.run([sys.executable, "-S", "-c", code, *arguments], stdout=subprocess.PIPE, check=True).stdout.split()
    assert int(done) in (0, 3), done
    return float(seconds), float(memory)


def shuffled(log):
    """Bytes written to shuffles, from the log of events."""
    total = 0
    for path in glob.glob(os.path.join(log, "**", "*"), recursive=True):
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as lines:
                for line in filter(lambda line: "SparkListenerTaskEnd" in line, lines):
                    metrics = json.loads(line).get("Task Metrics") or {}
                    total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def main():
    acuity, folder, *sizes = sys.argv[1:]
    for captures in map(int, sizes):
        output, path, links = collection(acuity, folder, captures)
        seconds, memory = measured([acuity, "audit", path, "--part-of", output, "-j", "1", "-q", f"--json={folder}/part.json", "--change-importance", "none"])
        size = os.path.getsize(path)
        report = os.path.getsize(f"{folder}/part.json")
        print(f"{captures} captures: {size / captures:.0f} bytes of Parquet each and {os.path.getsize(links) / captures:.0f} for {LINKS} links, audit {seconds:.1f} CPU s, {memory:.0f} MB, report {report / 1e6:.1f} MB", flush=True)
    log = os.path.join(folder, "events")
    os.makedirs(log, exist_ok=True)
    settings = {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{os.path.abspath(log)}",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
    }
    os.environ["PYSPARK_SUBMIT_ARGS"] = " ".join(f"--conf {key}={value}" for key, value in settings.items()) + " pyspark-shell"
    from acuity_spark.cli import main as job, session

    code = job(["audit", "--output", output, "--binary", acuity, "--parts", "4", "--option=--change-importance", "--option=none"])
    session("stop").stop()
    print(f"job: exit code {code}, {shuffled(log) / captures:.0f} bytes shuffled a capture")


if __name__ == "__main__":
    main()
