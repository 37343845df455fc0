"""Holds back what Scrapy logs of itself until the call has been found right: a slip of the user's is one line, and the first."""

from __future__ import annotations

import logging

from scrapy.settings import Settings
from scrapy.utils.log import log_scrapy_info


def hold_back() -> None:
    """Nothing below a warning is logged from now on."""
    logging.disable(logging.INFO)


def go_on(settings: Settings) -> None:
    """Log again, and first what was held back; without `hold_back` before, nothing."""
    if logging.root.manager.disable == logging.INFO:
        logging.disable(logging.NOTSET)
        log_scrapy_info(settings)
