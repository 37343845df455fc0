"""Pages that crash, hang or fill the memory of the process that reads them, as a fault in a parser would."""

from __future__ import annotations

import os
import time

from topiccrawler.pages.document import Document


def does_as_the_page_says(document: Document) -> bool:
    """In the place of the test for detail pages."""
    title = document.title_tag
    if title == "die":
        os._exit(3)
    if title == "die once" and not os.path.exists(document.metas["mark"]):
        open(document.metas["mark"], "w").close()
        os._exit(3)
    if title == "hang":
        time.sleep(600)
    if title == "raise":
        raise RecursionError("too deep")
    if title == "eat":
        bytearray(4_000_000_000)
    return False
