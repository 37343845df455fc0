"""A crawl over hosts that fail in every way: a line each, no traceback, no warning, and counts that are exact."""

import re
from collections import Counter

import pytest
from drawn_crawls import Crawl, ends
from hostile_hosts import BEHAVIOURS, all_served, free_port

from topiccrawler.frontier.base import State

FAILED = re.compile(r"frontier/failed/(\w+)': (\d+)")


@pytest.mark.slow
def test_failures_are_logged_in_a_line_each_and_counted_by_reason(crawl: Crawl) -> None:
    with all_served() as hosts:
        expected = Counter(BEHAVIOURS[name][1] for name in hosts)
        urls = [f"http://{host}/" for host in hosts.values()]
        closed = free_port()
        for host, reason in ((closed, "connection_refused"), ("nowhere.invalid", "no_such_host")):
            urls += [f"http://{host}/{number}" for number in range(3)]
            expected[reason] += 3
        urls += [f"https://{hosts[name]}/" for name in ("answers", "garbage")]
        expected["tls_failed"] += 2
        del expected[""]
        ran = crawl(
            None, seeds=",".join(urls), DOWNLOAD_TIMEOUT=2, FRONTIER_URL_TRIES=1, RETRY_TIMES=0, ROBOTSTXT_OBEY=False,
            LOG_LEVEL="DEBUG", CONCURRENT_REQUESTS=64,
        )  # fmt: skip
    found = {reason: int(count) for reason, count in FAILED.findall(ran.err)}
    assert Counter(found) <= expected
    assert "Traceback" not in ran.err
    assert [line for line in ran.err.splitlines() if re.search(r"\] (WARNING|ERROR|CRITICAL): ", line)] == []

    lines = [line for line in ran.err.splitlines() if "] INFO: Failed: " in line]
    answers = sum(count for reason, count in expected.items() if reason.startswith("http_"))
    assert len(lines) == sum(expected.values()) - answers - 4  # two hosts are logged once, not three times
    assert sum(closed in line for line in lines) == sum("nowhere.invalid" in line for line in lines) == 1

    given_up, waiting = (
        Counter(reason.replace(" ", "_") for end, reason in ends(ran.job).values() if end is state and reason)
        for state in (State.ERROR, State.WAITING)
    )
    assert given_up == Counter(found)
    failed = given_up + waiting
    dead = ("connection_refused", "no_such_host")  # once a host has failed so, its other URLs wait untried
    assert all(1 <= failed.pop(reason) <= expected.pop(reason) for reason in dead)
    assert failed == expected
    assert {reason.partition("_")[0] for reason in waiting} <= {"no", "connection", "timeout", "tls"}
