"""`topiccrawler …` and `python -m topiccrawler …`: `scrapy …` with the settings and the spiders of this package, in any folder.

So a crawl needs no project: `topiccrawler crawl topic -a topic=finance -a seeds=URL`. In a Scrapy project, whose settings and spiders are
for `scrapy …`, it does the same.
"""

from __future__ import annotations

import os
import sys

from topiccrawler.crawling.launching import SETTINGS_MODULE


def main() -> None:
    """Run the command on the command line and exit with its code."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS_MODULE
    sys.argv[0] = "topiccrawler"  # what help and faults call the program
    from scrapy.cmdline import execute

    execute()


if __name__ == "__main__":
    main()
