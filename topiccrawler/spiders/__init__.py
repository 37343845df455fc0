"""The spiders."""

# First, before our modules and numpy: Scrapy's module makes classes that scan all loaded modules, which costs .2 s of CPU later on.
import topiccrawler.engine.early_imports  # noqa: F401
