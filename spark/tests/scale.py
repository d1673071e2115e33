"""Measures one executor's share of a large collection: time, memory, bytes shuffled, in one piece and in two levels.

Usage: scale.py PATH-TO-ACUITY FOLDER [CAPTURES [EXECUTORS]] (10^8 captures on 64 executors by default)
"""

import glob
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import share


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
    """Bytes written to shuffles and seconds of tasks, from the log of events."""
    total, seconds = 0, 0.0
    for path in glob.glob(os.path.join(log, "**", "*"), recursive=True):
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as lines:
                for line in filter(lambda line: "SparkListenerTaskEnd" in line, lines):
                    metrics = json.loads(line).get("Task Metrics") or {}
                    total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
                    seconds += metrics.get("Executor Run Time", 0) / 1000
    return total, seconds


def by_hand(acuity, folder, output):
    """The program on the share as a whole: audited in one piece, and as page records with a reduce."""
    tables = sorted(glob.glob(os.path.join(output, "observations", "*.parquet")))
    common = ["-j", "1", "-q"]
    part = ["--part-of", output, "--change-importance", "none"]
    seconds, memory = measured([acuity, "audit", *tables, *part, *common, f"--json={folder}/whole.json"])
    print(f"audit in one piece: {seconds:.1f} CPU s, {memory:.0f} MB, report {os.path.getsize(f'{folder}/whole.json') / 1e6:.1f} MB", flush=True)
    seconds, memory = measured([acuity, "pages", *tables, *part, *common, "--out", f"{folder}/pages.parquet"])
    print(f"page records: {seconds:.1f} CPU s, {memory:.0f} MB, {os.path.getsize(f'{folder}/pages.parquet') / 1e6:.1f} MB", flush=True)
    seconds, memory = measured([acuity, "audit", f"{folder}/pages.parquet", *common, "--captures", *tables, f"--json={folder}/reduced.json"])
    print(f"reduce: {seconds:.1f} CPU s, {memory:.0f} MB", flush=True)


def as_a_job(acuity, folder, output, captures):
    log = os.path.join(folder, "events")
    os.makedirs(log, exist_ok=True)
    settings = {
        "spark.master": "local[1]",
        "spark.driver.memory": "4g",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{os.path.abspath(log)}",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "16",
    }
    os.environ["PYSPARK_SUBMIT_ARGS"] = " ".join(f"--conf {key}={value}" for key, value in settings.items()) + " pyspark-shell"
    from acuity_spark.cli import main as job, session

    start = time.monotonic()
    code = job(["audit", "--output", output, "--binary", acuity, "--option=--change-importance", "--option=none"])
    wall = time.monotonic() - start
    session("stop").stop()
    total, seconds = shuffled(log)
    with open(os.path.join(output, "audit", "parts.json"), encoding="utf-8") as file:
        parts = json.load(file)
    audits = sum(part["seconds"] for part in parts)
    print(f"job on one core: exit code {code}, {wall:.0f} s, tasks {seconds:.0f} s, of which {audits:.0f} s in the program, {len(parts)} parts")
    print(f"shuffled: {total / captures:.0f} bytes a capture")


def main():
    acuity, folder, *numbers = sys.argv[1:]
    captures, executors = (int(numbers[0]) if numbers else 10**8), (int(numbers[1]) if len(numbers) > 1 else 64)
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, f"share-{captures}-{executors}")
    start = time.process_time()
    held, size = share.write(acuity, folder, output, captures, executors, 0)
    print(f"share of {captures} captures on {executors} executors: {held} captures, {size / held:.0f} bytes each with links, made in {time.process_time() - start:.0f} s", flush=True)
    by_hand(acuity, folder, output)
    as_a_job(acuity, folder, output, held)


if __name__ == "__main__":
    main()
