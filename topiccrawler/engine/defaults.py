"""Sets the values of topiccrawler.settings as defaults for a spider with a topic, in any Scrapy project.

Scrapy makes a spider, and with it our crawl, before add-ons set anything. So the defaults are set when Scrapy asks the spider's class for
its settings (engine.focused_spider). They have the priority "addon": a project's settings, custom_settings and `-s` take precedence.
Spiders without a topic get none of them.
"""

from __future__ import annotations

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from topiccrawler import settings as ours

# settings that belong to our own project only
IDENTITY = frozenset({"BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE"})
# a pipeline that only crawls with a judge import
OPINIONS, LAST = "topiccrawler.engine.second_opinions.SecondOpinions", 850
NAMED = frozenset({"DOWNLOAD_HANDLERS", "FEED_EXPORTERS"})  # components by name, not by position


def set_plain_defaults(settings: BaseSettings) -> None:
    """Set the defaults that are plain values, not tables of components; commands need no more."""
    for name, value in vars(ours).items():
        if name.isupper() and name not in IDENTITY and not isinstance(value, dict):
            settings.set(name, value, "addon")


def set_defaults(settings: BaseSettings) -> None:
    """Set all defaults, components included; a component that the project has placed or switched off itself stays as it is."""
    set_plain_defaults(settings)
    for name, value in vars(ours).items():
        if name in NAMED:
            settings.set(name, {**value, **settings.getdict(name)}, settings.getpriority(name) or 0)
        elif name.isupper() and isinstance(value, dict):
            for path, position in value.items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), position)
    if settings.get("TOPIC_JUDGE_URL"):
        settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", load_object(OPINIONS), LAST)
