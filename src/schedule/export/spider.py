#!/usr/bin/env python3
"""Follows a schedule of `acuity schedule --export scrapy` and writes what it fetches to a WARC file.

    pip install scrapy warcio
    scrapy runspider spider.py -a plan=schedule.jsonl -a warc=crawl.warc.gz

Each page is requested at its absolute time; lanes run side by side, the pages of a lane one after another. What is late keeps
its distance from the download before: the whole pause where the crawl itself began late, half of it behind a slow page, until
the lane is in time again. A page has the time of its slot to answer, but at least 10 and at most 60 seconds; later it has failed.
Names and passwords of URLs are sent as basic authentication. `times.jsonl` gets planned and actual seconds of every download. What cannot be requested or kept has
failed there, and the next one follows. A payload equal to that of the visit becomes a revisit record.
"""

import base64
import hashlib
import io
import json
import time
from datetime import datetime, timezone
from http.client import responses
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import scrapy
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


# Seconds of lateness behind a slow page that are made good, and such that are none.
MADE_GOOD = 60.0
IN_TIME = 0.5
# The least and the most seconds that a page may take.
LEAST = 10.0
MOST = 60.0


def rfc3339(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def request_of(url):
    """The URL without name and password, and the header that stands for them."""
    host = urlsplit(url).netloc
    user, at, bare = host.rpartition("@")
    if not at:
        return url, {}
    name, _, password = user.partition(":")
    token = base64.b64encode(unquote_to_bytes(name) + b":" + unquote_to_bytes(password))
    return url.replace("//" + host, "//" + bare, 1), {"Authorization": b"Basic " + token}


class PlanSpider(scrapy.Spider):
    name = "plan"
    custom_settings = {
        "COMPRESSION_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,
        "HTTPCACHE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 1000,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1000,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    }

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.opened, signal=signals.spider_opened)
        crawler.signals.connect(spider.idle, signal=signals.spider_idle)
        crawler.signals.connect(spider.closed_now, signal=signals.spider_closed)
        return spider

    def __init__(self, plan="schedule.jsonl", warc="crawl.warc.gz", times="times.jsonl", **kwargs):
        super().__init__(**kwargs)
        self.lanes = {}
        with open(plan, encoding="utf-8") as lines:
            for line in lines:
                slot = json.loads(line)
                self.lanes.setdefault(slot["lane"], []).append(slot)
        for slots in self.lanes.values():
            slots.sort(key=lambda slot: slot["seconds"])
        self.left = sum(map(len, self.lanes.values()))
        self.file = open(warc, "ab")
        self.writer = WARCWriter(self.file, gzip=warc.endswith(".gz"))
        if Path(warc).stat().st_size == 0:
            self.writer.write_record(self.writer.create_warcinfo_record(
                Path(warc).name, {"software": "Scrapy " + scrapy.__version__, "format": "WARC File Format 1.0"}))
        self.times = open(times, "a", encoding="utf-8")
        self.visits = {}
        self.last = {}
        self.behind = set()

    async def start(self):
        for request in ():
            yield request

    def start_requests(self):
        return iter(())

    def opened(self):
        now = time.time()
        first = next((slot for slots in self.lanes.values() for slot in slots if slot.get("at")), None)
        if first is None:
            self.begin = now
        else:
            at = datetime.fromisoformat(first["at"].replace("Z", "+00:00")).timestamp()
            self.begin = at - first["seconds"]
        for lane in self.lanes:
            self.next(lane)

    def next(self, lane):
        from twisted.internet import reactor
        if self.lanes[lane]:
            slot = self.lanes[lane].pop(0)
            reactor.callLater(max(0.0, self.due(lane, slot) - time.time()), self.fetch, lane, slot)

    def due(self, lane, slot):
        planned, delay, last = self.begin + slot["seconds"], slot["delay"], self.last.get(lane)
        if last is None:
            return planned
        late = last + delay - planned
        is_kept = lane in self.behind or late > max(MADE_GOOD, 10 * delay)
        return max(planned, last + (delay if is_kept else delay / 2))

    def fetch(self, lane, slot):
        began = time.time()
        if began - self.begin - slot["seconds"] <= IN_TIME:
            self.behind.discard(lane)
        elif lane not in self.last:
            self.behind.add(lane)
        self.last[lane] = began
        meta = {"slot": slot, "lane": lane, "began": began, "handle_httpstatus_all": True, "dont_redirect": True,
                "download_timeout": min(max(slot["delay"], LEAST), MOST)}
        try:
            url, headers = request_of(slot["url"])
            request = scrapy.Request(url, callback=self.keep, errback=self.failed, dont_filter=True, headers=headers,
                                     meta=meta)
            self.crawler.engine.crawl(request)
        except Exception as error:
            self.done(meta, "failed: " + type(error).__name__)

    def done(self, meta, outcome):
        self.left -= 1
        slot = meta["slot"]
        self.times.write(json.dumps({"url": slot["url"], "kind": slot["kind"], "planned": slot["seconds"],
                                     "actual": round(meta["began"] - self.begin, 3), "outcome": outcome}) + "\n")
        self.times.flush()
        self.next(meta["lane"])

    def failed(self, failure):
        self.done(failure.request.meta, "failed: " + failure.type.__name__)

    def keep(self, response):
        try:
            self.write(response)
            outcome = response.status
        except Exception as error:
            outcome = "failed: " + type(error).__name__
        self.done(response.meta, outcome)

    def write(self, response):
        meta = response.meta
        slot = meta["slot"]
        headers = [(name.decode("latin-1"), value.decode("latin-1"))
                   for name, values in response.headers.items() for value in values
                   if name.lower() != b"transfer-encoding"]
        status = "%d %s" % (response.status, responses.get(response.status, "Unknown"))
        http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
        date = rfc3339(meta["began"])
        digest = "sha1:" + base64.b32encode(hashlib.sha1(response.body).digest()).decode()
        visit = self.visits.get(slot["url"])
        if slot["kind"] == "revisit" and visit and visit[0] == (response.status, digest):
            record = self.writer.create_revisit_record(slot["url"], digest, slot["url"], visit[1], http_headers=http,
                                                       warc_headers_dict={"WARC-Date": date})
        else:
            record = self.writer.create_warc_record(slot["url"], "response", payload=io.BytesIO(response.body),
                                                    http_headers=http, warc_headers_dict={"WARC-Date": date})
        if slot["kind"] == "visit":
            self.visits[slot["url"]] = ((response.status, digest), date)
        self.writer.write_record(record)
        self.file.flush()

    def idle(self):
        if self.left > 0:
            raise DontCloseSpider

    def closed_now(self):
        self.file.close()
        self.times.close()
