"""Settings of Scrapy that a crawl by a strategy cannot obey: refused in one line, not passed over.

docs/scrapy-settings.md says of each setting what becomes of it. Under another scheduler (SCHEDULER) all of them work.
"""

from __future__ import annotations

from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.misc import load_object

from topiccrawler.errors import ArgumentError

_ORDER = "has no part in the order of this crawl, which its strategy decides"
_CHOOSE = "choose one (-a strategy=NAME)"
_QUEUE = "is not used: the queue of this crawl is its frontier"
_KEEP = "give JOBDIR to keep it on disk"

REFUSED = {
    "DEPTH_PRIORITY": (_ORDER, _CHOOSE),
    "SCHEDULER_PRIORITY_QUEUE": (_ORDER, _CHOOSE),
    **dict.fromkeys(
        (
            "SCHEDULER_DISK_QUEUE",
            "SCHEDULER_MEMORY_QUEUE",
            "SCHEDULER_START_DISK_QUEUE",
            "SCHEDULER_START_MEMORY_QUEUE",
        ),
        (_QUEUE, _KEEP),
    ),
    "DUPEFILTER_CLASS": (
        "is not asked: links are distinguished by their canonical URLs",
        "name what a URL loses in TOPIC_URL_PARAMETERS_DROPPED",
    ),
    "CONCURRENT_REQUESTS_PER_IP": (
        "is not obeyed: hosts are distinguished by name",
        "use CONCURRENT_REQUESTS_PER_DOMAIN",
    ),
}


def refuse_settings(settings: BaseSettings) -> None:
    """ArgumentError for the first that the project, the spider or the command line has changed."""
    for name, (fault, remedy) in REFUSED.items():
        default = vars(default_settings).get(name, 0)  # a deprecated setting has none and is off
        given = settings[name]
        if (settings.getpriority(name) or 0) < SETTINGS_PRIORITIES["project"] or _same(given, default):
            continue
        undo = f'or put "{name}": {default!r} into the custom_settings of this spider'
        raise ArgumentError(f"{name}={given!r}", fault, f"{remedy}, {undo}")


def _same(given: Any, default: Any) -> bool:
    if isinstance(default, int):
        return str(given) == str(default)
    return bool(given) and load_object(given) is load_object(default)
