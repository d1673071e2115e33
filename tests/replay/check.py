#!/usr/bin/env python3
"""Reads a rebuilt site with warcio, record by record, and replays it with pywb: ten pages with images answer 200 with the bytes of their source.

Packages, also merged ones and bundles of evidence, are validated with wacz."""
import io
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

ACUITY = os.environ.get("ACUITY_BIN", "acuity")
SITE = "http://site.example"
PNG = b"\x89PNG\r\n\x1a\n"


def site():
    """URL to (media type, body): ten pages, each with an image of its own."""
    found = {}
    for n in range(10):
        links = "".join(f'<a href="/p{m}.html">{m}</a>' for m in range(10))
        found[f"{SITE}/p{n}.html"] = ("text/html", f'<h1>Page {n}</h1><img src="/i{n}.png">{links}'.encode())
        found[f"{SITE}/i{n}.png"] = ("image/png", PNG + bytes([n]) * 500)
    found[f"{SITE}/"] = ("text/html", b'<p>front <a href="/p0.html">all pages</a>')
    return found


def write(path, pages, date):
    with open(path, "wb") as out:
        writer = WARCWriter(out, gzip=True)
        for url, (media, body) in pages:
            head = StatusAndHeaders("200 OK", [("Content-Type", media), ("Content-Length", str(len(body)))], protocol="HTTP/1.1")
            response = writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head, warc_headers_dict={"WARC-Date": date})
            asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "site.example")], is_http_request=True)
            request = writer.create_warc_record(url, "request", http_headers=asked, warc_headers_dict={"WARC-Date": date})
            writer.write_request_response_pair(request, response)


def records(path):
    """Id to type, URL and block, as warcio reads them."""
    found = {}
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, no_record_parse=True):
            found[record.rec_headers.get_header("WARC-Record-ID")] = (record.rec_type, record.rec_headers.to_str(), record.raw_stream.read())
    return found


def run(*arguments, **options):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, **options)


def bin_of(name):
    return os.path.join(os.path.dirname(sys.executable), name)


def validate(path):
    """Has wacz validate a package."""
    answer = subprocess.run([bin_of("wacz"), "validate", "-f", path], capture_output=True, text=True)
    assert answer.returncode == 0 and "the passed WACZ is valid" in answer.stdout, (path, answer.stdout, answer.stderr)


def replay(folder, arguments, pages):
    """Adds a file to a collection of pywb, and fetches every page from it."""
    run(bin_of("wb-manager"), "init", "site", cwd=folder)
    run(bin_of("wb-manager"), "add", "site", *arguments, cwd=folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([bin_of("wayback"), "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for url, (_, body) in pages.items():
            address = f"http://127.0.0.1:{port}/site/2024id_/{url}"
            # On a busy machine pywb takes its time to start.
            for attempt in range(600):
                try:
                    with urllib.request.urlopen(address) as answer:
                        assert answer.status == 200, (url, answer.status)
                        assert answer.read() == body, url
                    break
                except urllib.error.URLError as error:
                    if isinstance(error, urllib.error.HTTPError) or attempt == 599 or server.poll() is not None:
                        raise
                    time.sleep(0.2)
    finally:
        server.terminate()
        server.wait()


def main():
    pages = site()
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        items = list(pages.items())
        write(at("a.warc.gz"), items[::2], "2024-01-01T00:00:00Z")
        write(at("b.warc.gz"), items[1::2], "2024-01-02T00:00:00Z")
        repos = ["--repo", f"a={at('a.warc.gz')}", "--repo", f"b={at('b.warc.gz')}"]
        for name in ("site.warc.gz", "site.wacz"):
            run(ACUITY, "rebuild", "-q", "--no-audit", *repos, "-o", at(name))
        sources = {**records(at("a.warc.gz")), **records(at("b.warc.gz"))}
        made = records(at("site.warc.gz"))
        kinds = [kind for kind, _, _ in made.values()]
        assert kinds.count("warcinfo") == 1 and kinds.count("response") == len(pages) and kinds.count("request") == len(pages), kinds
        for record_id, record in made.items():
            assert record[0] == "warcinfo" or sources[record_id] == record, record_id
        print(f"warcio: {len(made)} records, all as in their sources")
        run(ACUITY, "merge", "-q", at("a.warc.gz"), at("b.warc.gz"), "-o", at("all.wacz"))
        run(ACUITY, "at", "-q", "2024-01-01T12:00:00Z", at("a.warc.gz"), at("b.warc.gz"), "--bundle", at("evidence.wacz"))
        for name in ("site.wacz", "all.wacz", "evidence.wacz"):
            validate(at(name))
        print("wacz: the rebuilt, the merged and the bundled package are valid")
        for name, options in (("site.warc.gz", []), ("site.wacz", ["--unpack-wacz"])):
            os.mkdir(at("pywb-" + name))
            replay(at("pywb-" + name), [*options, at(name)], pages)
            print(f"pywb: {len(pages)} URLs of {name} answer with the bytes of their source")


if __name__ == "__main__":
    main()
