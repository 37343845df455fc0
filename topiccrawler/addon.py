"""Scrapy add-on that adapts the settings of a crawl: replay and recording of WARC files, browser rendering, User-Agent, unused extensions.

The conflict: `-s REPLAY_WARC=…` must switch the download handlers in any command, which no settings file can do. And in another project our
components must get their positions without replacing that project's own. So a spider with a topic gets our defaults with a lower priority
than the project's values (engine.defaults), and any other spider gets none. Only the handlers and delays of a replay override a project's
values (not `-s` or a spider's custom_settings), because a recording has no server to be polite to.
"""

from __future__ import annotations

import logging
import socket
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from topiccrawler.engine.faults import reported_by_scrapy

logger = logging.getLogger(__name__)

# Module of the base class. It is not imported, so that spiders without a topic do not pay for the import.
WITH_A_TOPIC = "topiccrawler.engine.focused_spider"
SWITCHED = {
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
}
CONTACT_PLACE = "{contact}"
REPLAY_SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "FRONTIER_BACKOFF_SECONDS": 0}
REPLAY_HANDLER = "topiccrawler.engine.archives.ReplayDownloadHandler"


class Addon:
    """Scrapy add-on, enabled by `ADDONS = {"topiccrawler.addon.Addon": 500}`. `has_topic`: whether the spider's class is FocusedSpider
    or derived from it."""

    def __init__(self, *, has_topic: bool) -> None:
        self.has_topic = has_topic

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(has_topic=any(kind.__module__ == WITH_A_TOPIC for kind in crawler.spidercls.__mro__))

    def update_settings(self, settings: BaseSettings) -> None:
        """Adapt the settings of a crawl. Scrapy calls this before each crawl, when `-s` and custom_settings are known."""
        if settings.get("REPLAY_WARC"):
            replay(settings)
        elif self.has_topic:
            render(settings)
        if settings.get("WARC_OUT"):
            write_warc(settings)
        introduce(settings)
        if self.has_topic:
            leave_out_what_is_off(settings)


def render(settings: BaseSettings) -> None:
    """Install the browser's download handler for http and https when the settings ask for rendered pages."""
    from topiccrawler.engine import rendering

    if rendering.is_wanted(settings):
        with reported_by_scrapy(settings):
            rendering.install(settings)


def leave_out_what_is_off(settings: BaseSettings) -> None:
    """Remove extensions that a setting switches off. Scrapy would import each of them, with all its dependencies, only to find that it is
    off: .2 s for aiohttp."""
    base: Any = settings["EXTENSIONS_BASE"] or {}
    for switch, extension in SWITCHED.items():
        if not settings.getbool(switch) and extension in base:
            base.set(extension, None, base.getpriority(extension))


def write_warc(settings: BaseSettings) -> None:
    """Add the downloader middleware that writes WARC files; ReplayError for a path that cannot be written."""
    from topiccrawler.engine import archives

    with reported_by_scrapy(settings):
        archives.writer_of(settings)
    settings.setdefault_in_component_priority_dict(
        "DOWNLOADER_MIDDLEWARES", archives.WarcOutMiddleware, archives.POSITION
    )


def introduce(settings: BaseSettings) -> None:
    """Replace `{contact}` in USER_AGENT by the address for complaints: TOPIC_CONTACT, or abuse@ this machine."""
    agent = settings.get("USER_AGENT") or ""
    if CONTACT_PLACE in agent:
        contact = settings.get("TOPIC_CONTACT") or f"mailto:abuse@{socket.getfqdn()}"
        settings.set(
            "USER_AGENT", agent.replace(CONTACT_PLACE, contact), settings.getpriority("USER_AGENT") or 0
        )


def replay(settings: BaseSettings) -> None:
    """Install the download handler that answers http and https from WARC files; ReplayError for a bad path."""
    from topiccrawler.engine.archives import replayed_web

    with reported_by_scrapy(settings):
        web = replayed_web(settings)
    logger.info("Replaying %d recorded pages instead of the network", len(web))
    for name, value in REPLAY_SETTINGS.items():
        settings.set(name, value, "project")
    handlers = settings.getdict("DOWNLOAD_HANDLERS") | dict.fromkeys(("http", "https"), REPLAY_HANDLER)
    settings.set("DOWNLOAD_HANDLERS", handlers, max(settings.getpriority("DOWNLOAD_HANDLERS") or 0, 20))
