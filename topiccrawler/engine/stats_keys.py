"""The stats keys that a crawl writes besides Scrapy's own, each with its kind and its meaning.

docs/stats.md is made of them, and so are the metrics of a running crawl. `…` is a name from a fixed set, which the meaning lists.
"""

from __future__ import annotations

from typing import NamedTuple

COUNT, GAUGE, AT_END = "count", "gauge", "at the end"


class StatsKey(NamedTuple):
    """`count`: only grows. `gauge`: set every ten seconds and at the end. `at the end`: set once, when the crawl closes."""

    kind: str
    meaning: str


_CRAWL = {
    "topic/pages": (AT_END, "pages fetched and read, over the whole job (earlier runs with the same JOBDIR too)"),
    "topic/kept": (AT_END, "of these, pages kept as being about the topic"),
    "topic/harvest_rate": (AT_END, "kept / pages, 0..1"),
    "topic/relevant_waiting": (AT_END, "waiting URLs that are probably relevant (docs/long-crawls.md); missing before 100 URLs were fetched"),
    "topic/promise": (AT_END, "expected share of relevant pages among the next 100 fetches, 0..1"),
    "topic/gate/refused": (COUNT, "links that the link gate refused (TOPIC_LINK_THRESHOLD), before the queue or before the request"),
    "topic/gate/tunnels": (COUNT, "links below the gate that got a second chance (`tunnel_probability` of the topic)"),
    "topic/admission/…": (COUNT, "links and URLs that a rule of another package refused, by its name (docs/parts.md)"),
    "topic/listings/sites": (GAUGE, "hosts whose feeds and sitemaps were queued in this run (TOPIC_LISTINGS)"),
    "topic/listings/read": (GAUGE, "of these listings, those that were read"),
    "topic/revisits/…": (COUNT, "pages visited again (`-a revisit=true`): `changed`, `unchanged`, `gone`, `failed`"),
    "topic/skipped/…": (COUNT, "responses that are not read, by format: `media`, `unknown`, and formats that `-a formats=` or the site's rule excludes"),
    "topic/skipped/older": (COUNT, "pages older than `-a since=` or the site's `since`: not kept"),
    "topic/skipped/unreadable": (COUNT, "documents of a known format that were damaged, locked, too large or too slow"),
    "topic/duplicates/…": (COUNT, "pages whose text is stored already: `alias` (kept without text) or `drop` (TOPIC_DUPLICATES)"),
    "topic/rendered/pages": (COUNT, "pages fetched by a browser"),
    "topic/rendered/empty": (COUNT, "pages that were empty without their scripts and were sent to the browser"),
    "topic/store/…": (GAUGE, "with STORE_URL: `calls` of the database, `busy_seconds` of the thread that calls it, `outages`"),
    "topic/store/wait_seconds": (GAUGE, "with STORE_URL: seconds that pages waited until they were stored, summed"),
    "topic/warc/responses": (GAUGE, "responses written to WARC_OUT"),
    "topic/warc/revisits": (GAUGE, "of these, written as references to an equal body"),
    "topic/links/not_recorded": (COUNT, "links of a replayed crawl that the recording lacks (`scrapy compare --live`)"),
    "topic/private_addresses/refused": (COUNT, "requests refused because they lead to a private network (TOPIC_PRIVATE_NETWORK)"),
}  # fmt: skip
_QUEUE = {
    "frontier/pushed/…": (COUNT, "links pushed to the queue: `new`; `raised` (waited with a smaller score); `kept` (waited with a score at least as large); `known` (no longer waiting)"),
    "frontier/leased": (COUNT, "URLs leased for fetching"),
    "frontier/ended/…": (COUNT, "leases by their end: `completed` (kept), `discarded` (off topic, refused, redirected), `error` (failed for good)"),
    "frontier/failed/…": (COUNT, "URLs that failed for good, by reason: `no_such_host`, `connection_refused`, `unreachable`, `timeout`, `connection_lost`, `tls_failed`, `proxy_refused`, `incomplete_answer`, `bad_answer`, `too_large`, `too_many_redirects`, `unsupported_url`, `http_404` and so on; `callback` and `pipeline` are faults of the program. Their sum is `frontier/ended/error`"),
    "frontier/urls/…": (AT_END, "URLs of the whole job by state: `waiting`, `processing`, `error`, `discarded`, `completed`"),
    "frontier/urls/over_budget": (AT_END, "of those waiting, URLs of hosts whose budget is used up"),
    "frontier/redirects/known": (COUNT, "redirects to a page that is known already; nothing more was fetched"),
    "frontier/requests/enqueued": (COUNT, "Requests besides the queue's own: retries, redirects, those of other spiders"),
    "frontier/requests/duplicate": (COUNT, "of these, refused as repeated"),
    "frontier/swept": (COUNT, "leases that ended without a signal; more than a few hint at a fault in a middleware"),
}  # fmt: skip
_HOSTS = {
    "frontier/waits/…": (GAUGE, "hosts that may not be fetched from now. For a while: `delay`, `busy`, `robots` (Crawl-delay), `autothrottle`, `retry-after`, `back-off`. For good: `host_budget`, `domain_budget`, `no_longer_useful`. Until another site links it: `unproven_site`"),
    "frontier/crawl_delay_hosts": (COUNT, "robots.txt files with a Crawl-delay"),
    "frontier/back_offs/retry_after": (COUNT, "answers 429 or 503 with Retry-After"),
    "frontier/back_offs/back_off": (COUNT, "answers 429 or 503 without it"),
    "frontier/traps/…": (GAUGE, "URLs discarded unfetched in this run: `path_depth`, `repeated_segments`, `query_facets`, `calendar` by their form; `shape` because URLs of the same form were unproductive"),
}  # fmt: skip
_LEARNING = {
    "frontier/redis/…": (GAUGE, "with REDIS_URL: `calls` of the server, `wait_seconds` that this process was blocked, `busy_seconds` of the thread that calls it, `outages`, `hosts` owned now, `hand_overs` (hosts acquired), `fenced` (changes refused because another process owns the host), `workers` alive"),
    "frontier/learner": (GAUGE, "with REDIS_URL and a strategy that learns: 1 in the process that learns for all, else 0 (docs/scaling.md)"),
    "strategy/learning_lag_pages": (GAUGE, "pages read by any process that this one's scores do not reflect yet"),
    "strategy/learning_lag_seconds": (GAUGE, "age of the oldest of these, at most"),
    "frontier/rescore/slices": (GAUGE, "slices of the queue that were rescored in this run, one a page"),
    "frontier/rescore/changed": (GAUGE, "scores that changed"),
    "frontier/rescore/slowest_ms": (GAUGE, "longest slice in milliseconds; the engine is blocked for so long (50 ms are allowed)"),
}  # fmt: skip
_LINKS = {
    "links/…": (AT_END, "labelled links written over the whole file: `positive`, `negative`"),
    "links/repeated": (AT_END, "links left out because URL and anchor were written before, in this run"),
    "links/capped": (AT_END, "links left out because their page, host or site had reached its limit, in this run"),
}  # fmt: skip
SECTIONS: dict[str, dict[str, StatsKey]] = {
    title: {key: StatsKey(*entry) for key, entry in keys.items()}
    for title, keys in {
        "the crawl": _CRAWL,
        "the queue": _QUEUE,
        "why hosts wait": _HOSTS,
        "learning and rescoring": _LEARNING,
        "labelled links": _LINKS,
    }.items()
}
STATS_KEYS: dict[str, StatsKey] = {key: entry for keys in SECTIONS.values() for key, entry in keys.items()}
