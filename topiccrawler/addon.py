"""One line in a project's ADDONS: a recorded web when REPLAY_WARC is set, and focused ordering where it is not yet.

The conflict: `-s REPLAY_WARC=…` must switch the download handlers in any command, which no settings file can do; and
in somebody else's project our components must find their positions without replacing his. So all parts are set at Scrapy's
"addon" priority, under a project's own values; only the replay's handlers and delays go above them (not above `-s`
or a spider's custom_settings), for a recording has no server to be polite to.
"""

from __future__ import annotations

import logging
import socket
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from topiccrawler import settings as ours
from topiccrawler.engine.middlewares import rendering
from topiccrawler.engine.replay_handler import shared_web
from topiccrawler.engine.user_faults import ending_the_crawl

logger = logging.getLogger(__name__)

PARTS = ("SCHEDULER", "CONCURRENT_ITEMS", "DOWNLOAD_DELAY_JITTER")
COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES")
SWITCHED = {
    "REMOTE_CONTROL_ENABLED": "scrapy.extensions.remote_control.RemoteControl",
    "TELNETCONSOLE_ENABLED": "scrapy.extensions.telnet.TelnetConsole",
}
CONTACT_PLACE = "{contact}"
REPLAY_SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
REPLAY_HANDLER = "topiccrawler.engine.replay_handler.ReplayDownloadHandler"


class Addon:
    """`ADDONS = {"topiccrawler.addon.Addon": 500}`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Called by Scrapy before each crawl, when `-s` and custom_settings are known."""
        for name in PARTS:
            settings.set(name, getattr(ours, name), "addon")
        for name in COMPONENTS:
            for path, position in getattr(ours, name).items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), position)
        if settings.get("REPLAY_WARC"):
            replay(settings)
        elif rendering.is_wanted(settings):
            rendering.install(settings)
        introduce(settings)
        leave_out_what_is_off(settings)


def leave_out_what_is_off(settings: BaseSettings) -> None:
    """Scrapy imports an extension, and all it needs, to learn that a setting has switched it off: .2 s for aiohttp."""
    base: Any = settings["EXTENSIONS_BASE"] or {}
    for switch, extension in SWITCHED.items():
        if not settings.getbool(switch) and extension in base:
            base.set(extension, None, base.getpriority(extension))


def introduce(settings: BaseSettings) -> None:
    """Put into the User-Agent where to complain, in place of `{contact}`."""
    agent = settings.get("USER_AGENT") or ""
    if CONTACT_PLACE in agent:
        contact = settings.get("TOPIC_CONTACT") or f"mailto:abuse@{socket.getfqdn()}"
        settings.set(
            "USER_AGENT", agent.replace(CONTACT_PLACE, contact), settings.getpriority("USER_AGENT") or 0
        )


def replay(settings: BaseSettings) -> None:
    """Answer http and https from the WARC files; a bad path ends the command with one line."""
    with ending_the_crawl(settings, "REPLAY_WARC: "):
        web = shared_web(settings["REPLAY_WARC"])
    logger.info("Replaying %d recorded pages instead of the network", len(web))
    for name, value in REPLAY_SETTINGS.items():
        settings.set(name, value, "project")
    handlers = settings.getdict("DOWNLOAD_HANDLERS") | dict.fromkeys(("http", "https"), REPLAY_HANDLER)
    settings.set("DOWNLOAD_HANDLERS", handlers, max(settings.getpriority("DOWNLOAD_HANDLERS") or 0, 20))
