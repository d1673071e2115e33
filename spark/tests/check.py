"""The job against one machine: the same figures, whatever is divided, killed and run again.

Usage: check.py PATH-TO-ACUITY, with Spark's settings in the environment (see `run`).
"""

import glob
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generate
import served
from figures import compare

ACUITY = sys.argv[1]
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.autoBroadcastJoinThreshold": "1m",
    "spark.log.level": "ERROR",
    # Small tables: compiling code for them takes longer than it saves.
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}
# A run of all tests has minutes: ACUITY_SPARK_ARCHIVES=200 is the whole collection.
ARCHIVES = int(os.environ.get("ACUITY_SPARK_ARCHIVES", "50"))
# Captures of a site that are audited in one piece: all sites but the largest have fewer.
SITE_LIMIT = str(ARCHIVES * 5 // 2)
RUN = ["--parts", "5", "--site-limit", SITE_LIMIT]


def settings(master):
    words = {"spark.master": master, **SETTINGS}
    return " ".join(f"--conf {key}={value}" for key, value in words.items()) + " pyspark-shell"


os.environ["PYSPARK_SUBMIT_ARGS"] = settings("local[2]")
# The name of this machine may lead to an address that it does not have.
os.environ.update(SPARK_LOCAL_IP="127.0.0.1", SPARK_LOCAL_HOSTNAME="127.0.0.1")


def program(*arguments, codes=(0, 3)):
    done = subprocess.run([ACUITY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr.decode()[-800:])


def job(*arguments, binary=ACUITY):
    """The job in this process: all calls share one session."""
    from acuity_spark.cli import main

    start = time.monotonic()
    code = main([*arguments, "--binary", binary])
    print(f"  acuity-spark {arguments[0]}: {time.monotonic() - start:.1f} s, exit code {code}", flush=True)
    return code


def started(*arguments, master="local[2]"):
    """The job in a process of its own, which can be killed with all that it has started."""
    home = subprocess.run([sys.executable, "-c", "import pyspark; print(pyspark.__path__[0])"], stdout=subprocess.PIPE, check=True)
    environment = {
        **os.environ,
        "PYSPARK_SUBMIT_ARGS": settings(master),
        # Executors of their own are started from there.
        "SPARK_HOME": home.stdout.decode().strip(),
        "SPARK_WORKER_DIR": os.environ["TMPDIR"],
    }
    words = [sys.executable, "-m", "acuity_spark", *arguments, "--binary", ACUITY]
    return subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)


def kill_at(process, pattern, count):
    """Kills a job as soon as so many files are there."""
    start = time.monotonic()
    while len(glob.glob(pattern)) < count:
        assert process.poll() is None, f"the job ended before {count} of {pattern} were there"
        assert time.monotonic() - start < 900, pattern
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    print(f"  killed after {time.monotonic() - start:.1f} s with {len(glob.glob(pattern))} files", flush=True)


def bytes_of(folder):
    files = {}
    for pattern in ("audit/parts/*.json", "audit/parts.json", "audit/pages/*.parquet", "audit/report.*", "observations/*", "links/*", "problems/*"):
        found = sorted(glob.glob(os.path.join(folder, pattern)))
        assert found, pattern
        files.update({os.path.relpath(path, folder): open(path, "rb").read() for path in found})
    return files


def same(one, other, leave_out=()):
    found = compare(one, other, leave_out)
    assert not found, "\n".join([f"{len(found)} differences", *found[:20]])


# What the job found of archives that are not there, one machine does not know: it reads the tables.
READING = ["problems", "summary.problems", "answers.record", "actions"]


def list_of(work, name, archives):
    listed = os.path.join(work, f"{name}.list")
    with open(listed, "w", encoding="utf-8") as file:
        file.write("".join(f"{path}\n" for path in archives))
    return listed


def check_figures(work, output, options=(), leave_out=READING):
    """Whether the report of the job has the figures of one machine."""
    whole = os.path.join(work, "whole.json")
    program("audit", output, "-q", f"--json={whole}", *options)
    same(whole, os.path.join(output, "audit", "report.json"), leave_out)


def check_generated(work):
    """Many archives, two jobs killed in the middle, and a third one that ends."""
    archives = os.path.join(work, "archives")
    generate.write(archives, ARCHIVES)
    paths = sorted(glob.glob(os.path.join(archives, "*.warc.gz")))
    broken = os.path.join(archives, "broken.warc.gz")
    with open(broken, "wb") as file:
        file.write(b"\x1f\x8bno archive at all" * 20)
    listed = list_of(work, "generated", [*paths, broken, os.path.join(archives, "not-there.warc.gz")])
    output = os.path.join(work, "generated")
    words = ["run", "--input", listed, "--output", output, *RUN]
    print("generated: killed while it indexes, killed while it audits, run to its end", flush=True)
    kill_at(started(*words), os.path.join(output, "manifest", "*.json"), len(paths) // 2)
    kill_at(started(*words), os.path.join(output, "audit", "parts", "*.done"), 3)
    assert job(*words) == 3
    assert len(glob.glob(os.path.join(output, "audit", "pages", "*.parquet"))) >= 2, "no site went the two-level way"
    check_figures(work, output)
    check_problems(output)
    return words, output


def check_problems(output):
    from acuity_spark import problems

    kinds = {(os.path.basename(row["file"]), row["kind"]) for row in problems.read(output)}
    assert ("not-there.warc.gz", "missing-input") in kinds, kinds
    assert any(file == "broken.warc.gz" for file, _ in kinds), kinds
    cut = f"crawl-{ARCHIVES // 2:03}.warc.gz"
    assert any(file == cut for file, _ in kinds), kinds


def check_cluster(words, output):
    """The same job, uninterrupted, on executors of their own: the same bytes."""
    print("local-cluster: the same bytes", flush=True)
    start = time.monotonic()
    killed = bytes_of(output)
    os.rename(output, f"{output}.killed")
    assert started(*words, master="local-cluster[2,1,1024]").wait() == 3
    print(f"  acuity-spark run: {time.monotonic() - start:.1f} s", flush=True)
    whole = bytes_of(output)
    assert whole.keys() == killed.keys(), whole.keys() ^ killed.keys()
    assert whole == killed, [name for name in whole if whole[name] != killed[name]]
    shutil.rmtree(f"{output}.killed")


def check_crawls(work, output):
    """Crawl against crawl, in other parts; one part fails the first time, and only that one is done again."""
    print("a part that fails; other parts; crawl against crawl", flush=True)
    failing = os.path.join(work, "failing")
    with open(failing, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ "$1" = audit ] && mkdir "{failing}.once" 2>/dev/null && exit 70\nexec "{ACUITY}" "$@"\n')
    os.chmod(failing, stat.S_IRWXU)
    words = ["audit", "--output", output, "--parts", "2", "--crawls", "auto"]
    from acuity_spark import problems

    def failed():
        return [row for row in problems.read(output) if row["kind"] == "audit-failed"]

    assert job(*words, binary=failing) == 3
    assert len(failed()) == 1 and len(glob.glob(os.path.join(output, "audit", "parts", "*.json"))) == 1, failed()
    assert job(*words, binary=failing) == 0
    assert not failed()
    assert job("report", "--output", output) == 3
    check_figures(work, output, ["--crawls", "auto"])
    assert job("report", "--output", output, "--fail-under", "coherence=1") == 1


def check_fetched(work):
    """Archives by address are fetched, indexed and deleted, and not fetched again."""
    print("archives by address", flush=True)
    archives = os.path.join(work, "archives")
    names = [f"crawl-{number:03}.warc.gz" for number in range(4)]
    near = os.path.join(work, "near")
    program("index", *(os.path.join(archives, name) for name in names), "--content", "--format", "parquet", "--out", near, "-q")
    output = os.path.join(work, "fetched")
    with served.folder(archives) as (address, requests):
        there = [f"file://{archives}/{names[0]}", f"local://{archives}/{names[1]}", f"{address}/{names[2]}", f"{address}/{names[3]}"]
        listed = list_of(work, "fetched", [*there, f"{address}/not-there.warc.gz"])
        assert job("index", "--input", listed, "--output", output) == 3
        assert {("GET", name) for name in names[2:]} <= set(requests), requests
        requests.clear()
        assert job("index", "--input", listed, "--output", output) == 3
        assert not [name for method, name in requests if method == "GET" and name in names], requests
    left = glob.glob(os.path.join(os.environ["TMPDIR"], "**", "*.warc.gz"), recursive=True)
    assert not left, left
    from acuity_spark import problems

    assert [row["kind"] for row in problems.read(output) if row["kind"].startswith("fetch")] == ["fetch-failed"]
    assert served.captures(output) == served.captures(near)


def check_recorded(work):
    crawls = os.path.join(os.environ.get("ACUITY_DATA", os.path.join(HERE, "../../../shared/data")), "crawls")
    real = sorted(glob.glob(os.path.join(crawls, "*", "*.warc.gz")))
    if not real:
        return print("skipped: no recorded crawls")
    print("recorded", flush=True)
    output = os.path.join(work, "recorded")
    job("run", "--input", list_of(work, "recorded", real), "--output", output, "--parts", "3", "--site-limit", "300")
    # There is one site: commands name it all the same, for a part does not know that there is no other.
    check_figures(work, output, ["--part-of", output], leave_out=[])


def check_views(output, work):
    import pyarrow.parquet as parquet

    print("views", flush=True)
    assert job("views", "--output", output) == 0
    lines = os.path.join(work, "lines.cdxj")
    program("index", output, "--format", "cdxj", "-q", "-o", lines)
    with open(lines, encoding="utf-8") as file:
        ours = sorted(line.split(" ")[0] + " " + line.split(" ")[1] for line in file)
    made = sorted(glob.glob(os.path.join(output, "views", "cdxj", "part-*")))
    theirs = [line for path in made for line in open(path, encoding="utf-8")]
    assert theirs == sorted(theirs)
    assert sorted(" ".join(line.split(" ")[:2]) for line in theirs) == ours
    columns = {
        "webpages": ["crawl_date", "domain", "url", "mime_type_web_server", "http_status_code", "archive_filename"],
        "webgraph": ["crawl_date", "src", "dest", "anchor"],
        "imagegraph": ["crawl_date", "src", "image_url", "alt_text"],
    }
    for name, names in columns.items():
        table = parquet.read_table(os.path.join(output, "views", name))
        assert table.column_names == names and table.num_rows > 0, (name, table.column_names, table.num_rows)


def check_notebook(output):
    import nbclient
    import nbformat

    print("notebook", flush=True)
    path = os.path.join(HERE, "..", "notebooks", "collection.ipynb")
    notebook = nbformat.read(path, as_version=4)
    os.environ["COLLECTION"] = output
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    images = [out for cell in notebook.cells for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]
    assert len(images) == 3, len(images)


def main():
    work = tempfile.mkdtemp(prefix="acuity-spark-")
    # Executors put there what they fetch.
    os.environ["TMPDIR"] = tempfile.tempdir = os.path.join(work, "scratch")
    os.makedirs(tempfile.tempdir)
    try:
        words, output = check_generated(work)
        check_cluster(words, output)
        check_crawls(work, output)
        check_views(output, work)
        check_fetched(work)
        check_recorded(work)
        assert job("audit", "--output", os.path.join(work, "nothing")) == 2
        check_notebook(output)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    start = time.monotonic()
    main()
    print(f"the job has the figures of one machine: {time.monotonic() - start:.0f} s")
