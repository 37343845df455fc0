"""The spiders."""

# First, before our modules and numpy: Scrapy's module makes classes that scan all loaded modules, which costs .2 s of CPU later on.
import scrapy.core.downloader.contextfactory  # noqa: F401
