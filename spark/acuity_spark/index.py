"""Archives to tables: `acuity index --format parquet`, on every executor."""

import glob
import json
import os
import shutil
import tempfile
from urllib.parse import unquote, urlsplit

from . import problems
from .program import DONE, UNREADABLE

# Archives that one call of the program reads.
BATCH = 16


def read_list(path):
    """The archives that a list names, one a line, each once. Empty lines and comments are skipped."""
    with open(path, encoding="utf-8") as lines:
        names = (line.strip() for line in lines)
        return list(dict.fromkeys(name for name in names if name and not name.startswith("#")))


def is_remote(name):
    return "://" in name and not name.startswith("file://")


def local(name):
    """The path of an archive on this machine."""
    return unquote(urlsplit(name).path) if name.startswith("file://") else name


def stored_name(name):
    """The name under which a fetched archive is known in the tables: its address without the scheme."""
    parts = [part for part in name.split("://", 1)[1].split("/") if part not in ("", ".", "..")]
    return os.path.join(*parts)


def fetched_already(output):
    """Addresses of archives that the manifest has, with their length."""
    known = {}
    for path in glob.glob(os.path.join(output, "manifest", "*.json")):
        try:
            with open(path, encoding="utf-8") as file:
                entry = json.load(file)
            known[entry["path"]] = entry["bytes"]
        except (OSError, ValueError, KeyError):
            continue  # It was not written to its end: the archive is read again.
    return known


def fetch(name, folder):
    """Copies an archive into a folder; gives its name there."""
    import fsspec

    path = os.path.join(folder, stored_name(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with fsspec.open(name, "rb") as source, open(path, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    # What decides whether an archive is read again must not depend on when it was fetched.
    os.utime(path, (0, 0))
    return stored_name(name)


def remote_length(name):
    import fsspec

    filesystem, path = fsspec.core.url_to_fs(name)
    return filesystem.info(path)["size"]


def call(program, output, names, folder):
    """Indexes archives together, and one by one if that does not end well. Gives problems and the worst exit code."""
    # A part of the archives: other executors write to the same collection at this moment.
    options = ["--content", "--format", "parquet", "--out", output, "--shard", "1/1", "-j", "1", "-q"]
    with tempfile.NamedTemporaryFile("w", suffix=".list", encoding="utf-8") as listed:
        listed.write("".join(f"{name}\n" for name in names))
        listed.flush()
        code, said = program.run("index", f"@{listed.name}", *options, folder=folder)
    if code in (DONE, UNREADABLE):
        return [], code
    if len(names) == 1:
        message = f"the archive was not indexed (exit code {code}): {said.strip()[-500:]}"
        return [problems.problem("index-failed", names[0], message)], UNREADABLE
    found = [call(program, output, [name], folder) for name in names]
    return [row for rows, _ in found for row in rows], max(code for _, code in found)


def index_some(program, output, names):
    """Indexes some archives; what is wrong with one of them does not concern the others."""
    worst, rows = DONE, []
    near = [name for name in names if not is_remote(name)]
    for name in near:
        if not os.path.exists(name):
            rows.append(problems.problem("missing-input", name, "the archive is not there"))
            worst = UNREADABLE
    near = [name for name in near if os.path.exists(name)]
    for start in range(0, len(near), BATCH):
        found, code = call(program, output, near[start : start + BATCH], None)
        rows += found
        worst = max(worst, code)
    known = fetched_already(output) if len(near) < len(names) else {}
    for name in filter(is_remote, names):
        with tempfile.TemporaryDirectory(prefix="acuity-") as scratch:
            try:
                if known.get(stored_name(name)) == remote_length(name):
                    continue
                stored = fetch(name, scratch)
            except Exception as error:  # Whatever a file system throws: the next archive may be there.
                rows.append(problems.problem("fetch-failed", name, f"the archive could not be fetched: {error}"))
                worst = max(worst, UNREADABLE)
                continue
            found, code = call(program, output, [stored], scratch)
            rows += found
            worst = max(worst, code)
    return worst, rows


def run(spark, program, names, output):
    """Indexes all archives. Gives the worst exit code."""
    # Tasks run in folders of their own, and later ones read archives again.
    names = [name if is_remote(name) else os.path.abspath(local(name)) for name in names]
    os.makedirs(output, exist_ok=True)
    output = os.path.abspath(output)
    if not names:
        return DONE
    context = spark.sparkContext
    slices = min(len(names), max(context.defaultParallelism * 4, len(names) // (BATCH * 4)))
    shares = context.parallelize(names, slices).mapPartitions(lambda share: [index_some(program, output, list(share))])
    outcomes = shares.collect()
    found = [row for _, rows in outcomes for row in rows]
    told, known = {row["file"] for row in found}, fetched_already(output)
    told |= {trace["path"] for trace in problems.left_out(output)}
    for name in names:
        stored = stored_name(name) if is_remote(name) else name
        if stored not in known and not told & {name, stored}:
            found.append(problems.problem("not-an-archive", name, "the file has no captures that can be read: no table was made of it"))
    problems.write(output, "spark-index", found)
    return max([UNREADABLE if found else DONE, *(code for code, _ in outcomes)])
