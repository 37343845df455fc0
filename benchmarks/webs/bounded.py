"""A made-up web that ends: so many hosts with a hundred pages each, for crawls that are to find all of it.

A page has the menu of its site (6 links), the three pages below it in its site's tree, 9 more of its site and 8 of others; most links of
a site on topic stay among such sites. The texts and what is on topic are those of webs.endless. A page is a function of its URL.
"""

from __future__ import annotations

import random

from webs.endless import EndlessWeb, is_on_topic, url_of

PAGES_A_HOST = 100
MENU, BELOW, WITHIN, OUTSIDE = 6, 3, 9, 8
NEIGHBOURS = 0.7  # of the links to other sites from a site on topic, to sites on topic
SEED = "http://s0.example/news/0.html"


class BoundedWeb(EndlessWeb):
    """The same seed makes the same web."""

    def __init__(self, hosts: int, seed: int = 1) -> None:
        super().__init__(seed)
        self._hosts = hosts
        self._kin = [host for host in range(hosts) if host * 7919 % 1000 < 200]

    def _page(self, host: int, number: int) -> str:
        draw = random.Random(number * self._hosts + host)
        stream = self._streams[is_on_topic(host, number)]
        below = [number * BELOW + place for place in range(1, BELOW + 1)]
        within = [*range(MENU), *below, *(draw.randrange(PAGES_A_HOST) for _ in range(WITHIN))]
        links = [(host, to) for to in within if to < PAGES_A_HOST]
        for _ in range(OUTSIDE):
            kin = self._kin and host in self._kin and draw.random() < NEIGHBOURS
            other = draw.choice(self._kin) if kin else draw.randrange(self._hosts)
            links.append((other, draw.randrange(PAGES_A_HOST)))
        listed = "".join(f'<li><a href="{url_of(*to)}">{self._title(*to)}</a></li>' for to in links)
        start = draw.randrange(len(stream) - 2000)
        title = self._title(host, number)
        return (
            f'<!DOCTYPE html>\n<html lang="zh-CN"><head><meta charset="utf-8"><title>{title}</title></head>\n<body><h1>{title}</h1>'
            f'<div class="text"><p>{stream[start : start + 900]}</p></div><ul class="list">{listed}</ul></body></html>'
        )
