"""A folder served over HTTP on this machine, and what tables hold whatever the archives are called."""

import contextlib
import functools
import glob
import http.server
import os
import threading

import pyarrow.parquet as parquet


@contextlib.contextmanager
def folder(path):
    """Serves the files of a folder. Gives the address, and a list that the method and the path of each request are added to."""
    requests = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_request(self, *_):
            requests.append((self.command, os.path.basename(self.path)))

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()


def captures(output):
    """All captures of a collection, without the names of their archives."""
    rows = []
    for path in glob.glob(os.path.join(output, "observations", "*.parquet")):
        table = parquet.read_table(path)
        columns = [name for name in table.column_names if "file" not in name]
        rows += [str(sorted(row.items())) for row in table.select(columns).to_pylist()]
    return sorted(rows)
