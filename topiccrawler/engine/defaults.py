"""The values of topiccrawler.settings as defaults of a spider with a topic, in a project of any name.

Scrapy makes a spider, and with it our crawl, before add-ons set anything; so the defaults come when Scrapy asks the spider's class for its
settings (engine.focused_spider). They have the priority "addon": a project's settings, custom_settings and `-s` win. Spiders without a
topic have none of them.
"""

from __future__ import annotations

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from topiccrawler import settings as ours

# of our own project only
IDENTITY = frozenset({"BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE"})


def set_plain_defaults(settings: BaseSettings) -> None:
    """Set what is a plain value; for commands, which have no components."""
    for name, value in vars(ours).items():
        if name.isupper() and name not in IDENTITY and not isinstance(value, dict):
            settings.set(name, value, "addon")


def set_defaults(settings: BaseSettings) -> None:
    """Set all; a component that the project has placed or switched off itself stays as it is."""
    set_plain_defaults(settings)
    for name, value in vars(ours).items():
        if name.isupper() and isinstance(value, dict):
            for path, position in value.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), position)
