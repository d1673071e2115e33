"""A collection of small WARCs: sites across files, revisits whose originals lie elsewhere, are cut, or declare no digest, off-site embeds, a
cut file.

One site has several times as many captures as the others, and one error page is served by all: a digest that everybody has.
"""

import base64
import gzip
import hashlib
import os
import random
import sys

ERROR = b"<title>404</title><h1>Page not found</h1>"
LARGE = "site00.example"
SITES = [f"site{number:02}.example" for number in range(11)] + ["www.site03.example", "cdn.test", "fonts.test"]


def digest(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


def record(number, kind, url, date, block, fields=()):
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>",
        f"WARC-Target-URI: {url}",
        f"WARC-Date: {date}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(block)}",
        *fields,
    ]
    return gzip.compress("\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n", mtime=0)


def http(status, mime, body, more=()):
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Type: {mime}", f"Content-Length: {len(body)}", *more])
    return head.encode() + b"\r\n\r\n" + body


def body_of(host, path, version, chance):
    """What a URL shows; `chance` decides on its links, and is the same for every version."""
    if path.endswith(".css"):
        return "text/css", f"@import 'http://fonts.test/{path.count('/')}.css'; body {{ color: #{version:03} }}".encode()
    if path.endswith(".png"):
        return "image/png", f"PNG {host}{path} {version}".encode()
    if path == "/robots.txt":
        return "text/plain", b"User-agent: *\nDisallow: /private/\n"
    if path == "/sitemap.xml":
        others = "".join(
            f"<url><loc>http://{site}/p{page}.html</loc><lastmod>2024-01-0{1 + page}</lastmod></url>"
            for site in (host, SITES[chance.randrange(11)])
            for page in range(4)
        )
        return "application/xml", f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{others}</urlset>'.encode()
    links = "".join(f'<a href="http://{chance.choice(SITES)}/p{chance.randrange(16)}.html">x</a>' for _ in range(4))
    own = "".join(f'<a href="/f{page % 3}/q{page}.html">y</a>' for page in (chance.randrange(24) for _ in range(3)))
    embeds = f'<link rel="stylesheet" href="http://cdn.test/{chance.randrange(6)}.css"><img src="http://cdn.test/i/{chance.randrange(20)}.png">'
    words = " ".join(f"word{number}" for number in range(version, version + 40))
    return "text/html; charset=utf-8", f"<html><head><title>{path} {version}</title>{embeds}</head><body><p>{words}</p>{links}{own}</body></html>".encode()


def write(folder, archives=200, seed=7):
    os.makedirs(folder, exist_ok=True)
    chance = random.Random(seed)
    number, stored = 0, {}
    for archive in range(archives):
        chunks = []
        crawl = archive * 4 // archives
        for _ in range(chance.randrange(12, 24)):
            number += 1
            host = chance.choice([LARGE, *SITES, LARGE, LARGE])
            if host == "cdn.test":
                path = chance.choice([f"/{chance.randrange(6)}.css", f"/i/{chance.randrange(20)}.png"])
            elif host == "fonts.test":
                path = f"/{chance.randrange(3)}.css"
            else:
                path = chance.choice(
                    ["/", "/robots.txt", "/sitemap.xml"] + [f"/p{chance.randrange(16)}.html"] * 6 + [f"/f{chance.randrange(3)}/q{chance.randrange(24)}.html"] * 6
                )
            url = f"http://{host}{path}"
            second = (archive * 97 + chance.randrange(90)) % 82800
            date = f"2024-0{1 + crawl}-11T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
            version = (int(hashlib.sha1(url.encode()).hexdigest(), 16) + crawl * chance.choice([0, 0, 1])) % 5
            mime, body = body_of(host, path, version, random.Random(url))
            declared = f"WARC-Payload-Digest: {digest(body)}"
            known = stored.get(body)
            lot = chance.randrange(21)
            if lot == 0:
                to = f"http://{chance.choice(SITES)}/p{chance.randrange(16)}.html"
                block = http("302 Found", "text/html", b"", [f"Location: {to}"])
                chunks.append(record(number, "response", url, date, block))
            elif lot == 1:
                chunks.append(record(number, "response", url, date, http("404 Not Found", "text/html", b"<h1>Not Found</h1>")))
            elif lot == 2:
                fields = [f"WARC-Payload-Digest: {digest(ERROR)}"]
                chunks.append(record(number, "response", url, date, http("200 OK", "text/html", ERROR), fields))
            elif lot == 20:
                # Revisits that name nothing but the digest.
                fields = ["WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", f"WARC-Payload-Digest: {digest(ERROR)}"]
                chunks.append(record(number, "revisit", url, date, http("200 OK", "text/html", b""), fields))
            elif known and lot < 14:
                original, there, then = known
                fields = ["WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", declared]
                how = chance.randrange(3)
                if how == 0:
                    fields.append(f"WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-{original:012}>")
                elif how == 1:
                    fields += [f"WARC-Refers-To-Target-URI: {there}", f"WARC-Refers-To-Date: {then}"]
                chunks.append(record(number, "revisit", url, date, http("200 OK", mime, b""), fields))
            elif lot == 14 and len(body) > 60:
                # The capture is cut; another archive may have the whole body.
                chunks.append(record(number, "response", url, date, http("200 OK", mime, body[:50]), [declared, "WARC-Truncated: length"]))
            else:
                stored.setdefault(body, (number, url, date))
                # Some writers declare no digest.
                fields = [] if lot > 17 else [declared]
                chunks.append(record(number, "response", url, date, http("200 OK", mime, body, ["Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"]), fields))
        data = b"".join(chunks)
        if archive == archives // 2:
            data = data[: len(data) - 120]
        with open(os.path.join(folder, f"crawl-{archive:03}.warc.gz"), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)
