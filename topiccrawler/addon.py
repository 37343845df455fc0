"""One line in a project's ADDONS: recorded webs read and written in every command, pages rendered by a browser, and what a spider with a topic needs.

The conflict: `-s REPLAY_WARC=…` must switch the download handlers in any command, which no settings file can do; and
in somebody else's project our components must find their positions without replacing his. So a spider with a topic gets our
defaults under the project's own values (engine.defaults), any other spider nothing. Only the replay's handlers and delays
go above a project's values (not above `-s` or a spider's custom_settings), for a recording has no server to be polite to.
"""

from __future__ import annotations

import logging
import socket
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from topiccrawler.engine.faults import reported_by_scrapy

logger = logging.getLogger(__name__)

WITH_A_TOPIC = "topiccrawler.engine.focused_spider"  # module of the base class; not imported: spiders without pay nothing
SWITCHED = {
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
}
CONTACT_PLACE = "{contact}"
REPLAY_SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
REPLAY_HANDLER = "topiccrawler.engine.archives.ReplayDownloadHandler"


class Addon:
    """`ADDONS = {"topiccrawler.addon.Addon": 500}`. `has_topic`: the spider is one of ours or derived from one."""

    def __init__(self, *, has_topic: bool) -> None:
        self.has_topic = has_topic

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(has_topic=any(kind.__module__ == WITH_A_TOPIC for kind in crawler.spidercls.__mro__))

    def update_settings(self, settings: BaseSettings) -> None:
        """Called by Scrapy before each crawl, when `-s` and custom_settings are known."""
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
    """Put a browser behind http and https when pages are to be rendered."""
    from topiccrawler.engine import rendering

    if rendering.is_wanted(settings):
        with reported_by_scrapy(settings):
            rendering.install(settings)


def leave_out_what_is_off(settings: BaseSettings) -> None:
    """Scrapy imports an extension, and all it needs, to learn that a setting has switched it off: .2 s for aiohttp."""
    base: Any = settings["EXTENSIONS_BASE"] or {}
    for switch, extension in SWITCHED.items():
        if not settings.getbool(switch) and extension in base:
            base.set(extension, None, base.getpriority(extension))


def write_warc(settings: BaseSettings) -> None:
    """Put what writes WARC files beside the downloader; ReplayError names a place where none can be written."""
    from topiccrawler.engine import archives

    with reported_by_scrapy(settings):
        archives.writer_of(settings)
    settings.setdefault_in_component_priority_dict(
        "DOWNLOADER_MIDDLEWARES", archives.WarcOutMiddleware, archives.POSITION
    )


def introduce(settings: BaseSettings) -> None:
    """Put into the User-Agent where to complain, in place of `{contact}`."""
    agent = settings.get("USER_AGENT") or ""
    if CONTACT_PLACE in agent:
        contact = settings.get("TOPIC_CONTACT") or f"mailto:abuse@{socket.getfqdn()}"
        settings.set(
            "USER_AGENT", agent.replace(CONTACT_PLACE, contact), settings.getpriority("USER_AGENT") or 0
        )


def replay(settings: BaseSettings) -> None:
    """Answer http and https from the WARC files; ReplayError names a bad path."""
    from topiccrawler.engine.archives import replayed_web

    with reported_by_scrapy(settings):
        web = replayed_web(settings)
    logger.info("Replaying %d recorded pages instead of the network", len(web))
    for name, value in REPLAY_SETTINGS.items():
        settings.set(name, value, "project")
    handlers = settings.getdict("DOWNLOAD_HANDLERS") | dict.fromkeys(("http", "https"), REPLAY_HANDLER)
    settings.set("DOWNLOAD_HANDLERS", handlers, max(settings.getpriority("DOWNLOAD_HANDLERS") or 0, 20))
