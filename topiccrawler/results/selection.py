"""Which pages are asked for, as users say it."""

from __future__ import annotations

import argparse
from datetime import date

from topiccrawler.errors import ArgumentError
from topiccrawler.pages.formats.registry import READ
from topiccrawler.store.selection import Selection
from topiccrawler.urls.canonical import canonical, host_of


def selection_of(
    *,
    topic: str | None = None,
    site: str | None = None,
    since: str | None = None,
    min_relevance: float | None = None,
    kind: str | None = None,
) -> Selection:
    """ArgumentError for what cannot be meant; a kind that no reader gives is one."""
    if min_relevance is not None and not 0 <= min_relevance <= 1:
        raise ArgumentError(f"--min-relevance {min_relevance:g}", "is out of range", "give 0 to 1")
    if kind and kind not in READ:
        raise ArgumentError(f"--kind {kind}", "is not known", f"use one of {', '.join(sorted(READ))}")
    return Selection(topic or "", _host(site), _day(since), min_relevance or 0.0, kind or "")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options by which a command's user selects pages."""
    parser.add_argument("--site", metavar="HOST", help="only pages of this host or of hosts below it")
    parser.add_argument(
        "--topic",
        metavar="TOPIC",
        help="only pages of this topic, by its English name or your words as they are shown",
    )
    since = "only pages of this day or later: the page's own date, else the day it was fetched"
    parser.add_argument("--since", metavar="YYYY-MM-DD", help=since)
    parser.add_argument(
        "--min-relevance", type=float, metavar="R", help="only pages of this relevance, 0 to 1"
    )
    parser.add_argument("--kind", metavar="KIND", help="only pages of this kind: html, pdf, docx …")


def selection_by(opts: argparse.Namespace) -> Selection:
    """What they say."""
    return selection_of(
        topic=opts.topic, site=opts.site, since=opts.since, min_relevance=opts.min_relevance, kind=opts.kind
    )


def _day(given: str | None) -> str:
    if not given:
        return ""
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        raise ArgumentError(f"--since {given}", "is no date", "write it as 2026-01-31") from None


def _host(given: str | None) -> str:
    if not given:
        return ""
    address = canonical(given if "://" in given else f"http://{given}")
    if address is None:
        raise ArgumentError(f"--site {given}", "is no host", "write it as example.com")
    return host_of(address)
