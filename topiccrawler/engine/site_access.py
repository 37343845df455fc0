"""Sets the proxy and the HTTP authentication of a request by the rule of its site.

The rule is in `[sites]` of a topic file or in `-a sites=`. Scrapy's HttpProxyMiddleware and HttpAuthMiddleware read `proxy`, `http_user`,
`http_pass` and `http_auth_domain` from a request's meta. The request of a redirect to another site has the same meta, so the values that
the rule has set are removed there. For the whole crawl there are Scrapy's own means: the environment's `http_proxy`, `HTTPAUTH_USER`,
`HTTPAUTH_PASS` and `HTTPAUTH_DOMAIN`.

Reference: Li, Zhao & Yu, SkyReach, 2003, §3.4, steps 1 and 3.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from topiccrawler.engine.faults import reported_by_scrapy
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.errors import ArgumentError
from topiccrawler.pages.site_rules import rule_of
from topiccrawler.topics.topic import SiteRule
from topiccrawler.urls.canonical import host_of

GIVEN = "topic_site_access"  # key in request.meta: the keys that a rule has set
# Scrapy's key in request.meta: `proxy` was set by the environment's http_proxy
FROM_ENVIRONMENT = "_scheme_proxy"


class SiteAccessMiddleware:
    """Downloader middleware (90, before robots.txt is fetched): sets proxy and HTTP authentication. `sites`: rules by URL prefix."""

    def __init__(self, sites: Mapping[str, SiteRule]) -> None:
        self.sites = sites

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        sites = needed_crawl(crawler).topic.sites
        wanted = {place: rule for place, rule in sites.items() if rule.proxy or rule.user}
        if not wanted:
            raise NotConfigured
        with reported_by_scrapy(crawler.settings):
            return cls({place: _filled_in(place, rule) for place, rule in wanted.items()})

    def process_request(self, request: Request) -> None:
        for key in request.meta.pop(GIVEN, ()):
            request.meta.pop(key, None)
        rule = rule_of(request.url, self.sites)
        if rule is None:
            return
        access = {"proxy": rule.proxy} if rule.proxy else {}
        # on the request that was redirected to here
        if rule.proxy and request.meta.pop(FROM_ENVIRONMENT, False):
            request.meta.pop("proxy", None)
        if rule.user:
            domain = host_of(request.url).partition(":")[0]
            access |= {"http_user": rule.user, "http_pass": rule.password, "http_auth_domain": domain}
        new = {key: value for key, value in access.items() if key not in request.meta}
        request.meta.update(new)
        request.meta[GIVEN] = tuple(new)


def _filled_in(place: str, rule: SiteRule) -> SiteRule:
    """The rule with each $NAME in proxy or password replaced by the environment's variable; ArgumentError when there is none."""
    found = {}
    for field in ("proxy", "password"):
        value: str = getattr(rule, field)
        if value.startswith("$"):
            if value[1:] not in os.environ:
                fault = f"is {value}, and the environment has no such variable"
                raise ArgumentError(f"sites.{place}.{field}", fault, f"set it: export {value[1:]}=…")
            found[field] = os.environ[value[1:]]
    return rule.model_copy(update=found)
