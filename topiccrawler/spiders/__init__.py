"""The spiders."""

# First, before ours and numpy: Scrapy's module makes classes that look through all loaded modules, .2 s of CPU later on.
import scrapy.core.downloader.contextfactory  # noqa: F401
