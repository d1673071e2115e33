"""Runs the SQL of docs/parquet.md, compares the tables with the JSON lines of the same archives, and sends them through other programs."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

import duckdb
import pyarrow.parquet as parquet

document, work, acuity = sys.argv[1:]
os.chdir(f"{work}/collection")

lines = [json.loads(line) for line in open(f"{work}/lines.jsonl", encoding="utf-8")]
rows = [row for path in sorted(glob.glob("observations/*.parquet")) for row in parquet.read_table(path).to_pylist()]
assert len(rows) == len(lines) > 0, (len(rows), len(lines))

by_place = {(row["warc_filename"], row["warc_record_offset"], row["url"]): row for row in rows}
for line in lines:
    row = by_place[line["file"], line["offset"], line["url"]]
    assert row["fetch_status"] == line["status"], line["url"]
    assert row["url_surtkey"] == line["key"], line["url"]
    assert row["fetch_time"].timestamp() * 1e6 == round(row["fetch_time"].timestamp() * 1e6)
    stamp = line["time"].rstrip("Z")
    assert row["fetch_time"].isoformat().startswith(stamp[:19]), (row["fetch_time"], stamp)
    assert (row["body"].hex() if row["body"] else None) == (line["body"].split(":")[1] if line["body"] else None)
    declared = f'{row["content_digest_algorithm"]}:{row["content_digest"]}' if row["content_digest"] else None
    assert declared == line["declared"], line["url"]
    assert row["warc_record_length"] == line["length"]
for path in glob.glob("observations/*.parquet"):
    keys = [(row["url_surtkey"], row["fetch_time"]) for row in parquet.read_table(path).to_pylist()]
    assert keys == sorted(keys), path

questions = re.findall(r"```sql\n(.*?)```", open(document, encoding="utf-8").read(), re.S)
assert len(questions) == 10, len(questions)
answers = [duckdb.sql(question).fetchall() for question in questions]
assert sum(count for _, count in answers[0]) == len(lines)
assert sum(row[2] for row in answers[1]) == len(lines)
assert sum(row[2] for row in answers[2]) == len(lines)
versions = {}
for line in lines:
    if line["status"] == 200 and line["body"]:
        versions.setdefault(line["key"], set()).add(line["body"])
assert dict((row[0], row[1]) for row in answers[6]) == {k: len(v) for k, v in versions.items() if len(v) > 1}
captured = {line["key"] for line in lines}
sites = {(row["warc_filename"], row["ordinal"]): row["site"] for row in rows}
links = [row for path in sorted(glob.glob("links/*.parquet")) for row in parquet.read_table(path).to_pylist()]
linked = {}
for link in links:
    is_own = link["dest_site"] == sites[link["warc_filename"], link["ordinal"]]
    if link["kind"] == "anchor" and is_own and link["dest_key"] not in captured:
        linked.setdefault(link["dest_key"], set()).add(link["src_key"])
assert sorted((len(pages) for pages in linked.values()), reverse=True)[:20] == [row[1] for row in answers[7]]
assert answers[7] and all(row[0] for row in answers[7])

# An original may be in another archive: the question counts what the audit of all tables counts.
os.chdir(f"{work}/generated")
missing = dict(duckdb.sql(questions[8]).fetchall())
report = f"{work}/generated.json"
subprocess.run([acuity, "audit", ".", "-q", f"--json={report}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
audits = json.load(open(report, encoding="utf-8"))["sites"]
assert missing == {site["site"]: site["findings"]["unresolved_revisits"] for site in audits if site["findings"]["unresolved_revisits"]}
alone = "SELECT count(*) FROM 'observations/*.parquet' WHERE kind = 'revisit' AND refers_to_resolved_by IS NULL"
assert sum(missing.values()) < duckdb.sql(alone).fetchall()[0][0], "no revisit has its original in another archive"
os.chdir(f"{work}/collection")


def audited(folder):
    """The audit of the tables in a folder, without what names files and their lengths."""
    report = f"{work}/report.json"
    words = [acuity, "audit", folder, "--part-of", "collection", "-q", f"--json={report}"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    assert done.returncode in (0, 3), done.returncode
    report = json.load(open(report, encoding="utf-8"))
    report["inputs"] = None
    return report


# Read and written again by others, the tables have the same figures.
for name in ("copied", "pyarrow", "duckdb"):
    os.makedirs(f"{work}/{name}")
for path in sorted(glob.glob("observations/*.parquet")):
    base = os.path.basename(path)
    # Beside no manifest: the table itself says whether digests were verified, and those who write it again keep that.
    shutil.copy(path, f"{work}/copied/{base}")
    parquet.write_table(parquet.read_table(path), f"{work}/pyarrow/{base}", compression="zstd")
    made = parquet.read_metadata(path).metadata[b"made"].decode().replace("'", "''")
    options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {{made: '{made}'}}"
    duckdb.sql(f"COPY (SELECT * FROM '{path}') TO '{work}/duckdb/{base}' ({options})")
whole = audited(f"{work}/copied")
assert whole["summary"]["pages"] > 0
assert whole["answers"]["record"]["band"] != "cannot tell"
for name in ("pyarrow", "duckdb"):
    assert audited(f"{work}/{name}") == whole, name
# What is compressed otherwise is refused, with what to do.
os.makedirs(f"{work}/snappy")
parquet.write_table(parquet.read_table(path), f"{work}/snappy/table.parquet", compression="snappy")
words = [acuity, "audit", f"{work}/snappy/table.parquet", "--problems", f"{work}/problems.jsonl"]
done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
assert done.returncode == 3, done.returncode
assert "write it with zstd" in open(f"{work}/problems.jsonl", encoding="utf-8").read()

print(f"{len(questions)} questions answered on {len(rows)} captures")
