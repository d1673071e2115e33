"""The job against one machine: the same figures, whatever is divided, killed and run again."""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generate
from figures import compare

ACUITY = sys.argv[1]
MASTER = "local-cluster[2,1,1024]" if "local-cluster" in sys.argv[2:] else "local[2]"
SETTINGS = {
    "spark.master": MASTER,
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.autoBroadcastJoinThreshold": "1m",
    "spark.log.level": "ERROR",
}
os.environ["PYSPARK_SUBMIT_ARGS"] = " ".join(f"--conf {key}={value}" for key, value in SETTINGS.items()) + " pyspark-shell"


def program(*arguments, codes=(0, 3)):
    done = subprocess.run([ACUITY, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode in codes, (arguments, done.returncode, done.stderr.decode()[-800:])


def job(*arguments):
    from acuity_spark.cli import main

    start = time.monotonic()
    code = main([*arguments, "--binary", ACUITY])
    print(f"  acuity-spark {arguments[0]}: {time.monotonic() - start:.1f} s, exit code {code}", flush=True)
    return code


def bytes_of(folder, pattern):
    files = sorted(glob.glob(os.path.join(folder, pattern)))
    assert files, pattern
    return {os.path.relpath(path, folder): open(path, "rb").read() for path in files}


def same(one, other, leave_out=()):
    found = compare(one, other, leave_out)
    assert not found, "\n".join([f"{len(found)} differences", *found[:20]])


# One machine reads tables: what was found when archives were read is not among them.
READING = ["problems", "summary.problems", "answers.record", "actions"]


def check_collection(work, name, archives, more=None):
    print(name, flush=True)
    listed, output = os.path.join(work, f"{name}.list"), os.path.join(work, name)
    with open(listed, "w", encoding="utf-8") as file:
        file.write("".join(f"{path}\n" for path in archives))
    code = job("run", "--input", listed, "--output", output, "--parts", "5")
    report = os.path.join(output, "audit", "report.json")
    whole = os.path.join(work, f"{name}.json")
    program("audit", output, "-q", f"--json={whole}", *more(output) if more else ())
    same(whole, report, READING)
    return listed, output, report, code


def main():
    work = tempfile.mkdtemp(prefix="acuity-spark-")
    try:
        archives = os.path.join(work, "archives")
        generate.write(archives)
        paths = sorted(glob.glob(os.path.join(archives, "*.warc.gz")))
        missing = os.path.join(archives, "not-there.warc.gz")
        listed, output, report, code = check_collection(work, "generated", [*paths, missing])
        assert code == 3, code
        from acuity_spark import problems

        kinds = {(os.path.basename(row["file"]), row["kind"]) for row in problems.read(output)}
        assert ("not-there.warc.gz", "missing-input") in kinds, kinds
        assert any(file == "crawl-100.warc.gz" for file, _ in kinds), kinds
        first = {**bytes_of(output, "audit/parts/*.json"), **bytes_of(output, "observations/*"), **bytes_of(output, "audit/report.*")}
        print("killed after half", flush=True)
        for path in sorted(glob.glob(os.path.join(output, "manifest", "*.json")))[::2]:
            os.remove(path)
        for path in sorted(glob.glob(os.path.join(output, "observations", "*.parquet")))[::3]:
            os.remove(path)
        for path in sorted(glob.glob(os.path.join(output, "audit", "parts", "part-*.done")))[::2]:
            os.remove(path)
        os.remove(os.path.join(output, "audit", "report.json"))
        assert job("run", "--input", listed, "--output", output, "--parts", "5") == 3
        again = {**bytes_of(output, "audit/parts/*.json"), **bytes_of(output, "observations/*"), **bytes_of(output, "audit/report.*")}
        assert first == again, [name for name in first if first[name] != again.get(name)]
        print("other parts, crawl against crawl", flush=True)
        assert job("audit", "--output", output, "--parts", "2", "--crawls", "auto") == 0
        assert job("report", "--output", output) == 3
        whole = os.path.join(work, "crawls.json")
        program("audit", output, "-q", "--crawls", "auto", f"--json={whole}")
        same(whole, report, READING)
        print("views", flush=True)
        assert job("views", "--output", output) == 0
        check_views(output, work)
        crawls = os.path.join(os.environ.get("ACUITY_DATA", os.path.join(HERE, "../../../shared/data")), "crawls")
        real = sorted(glob.glob(os.path.join(crawls, "*", "*.warc.gz")))
        if real:
            # There is one site: commands name it all the same, for a part does not know that there is no other.
            check_collection(work, "recorded", real, lambda output: ["--part-of", output])
        else:
            print("skipped: no recorded crawls")
        assert job("audit", "--output", os.path.join(work, "nothing")) == 2
        if MASTER == "local[2]":
            check_notebook(output)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def check_views(output, work):
    import pyarrow.parquet as parquet

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


if __name__ == "__main__":
    start = time.monotonic()
    main()
    print(f"the job has the figures of one machine, in {MASTER}: {time.monotonic() - start:.0f} s")
