"""What the readers of Office files share: a check against zip bombs, and the properties of a file (title, author …)."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

from topiccrawler.pages.formats.registry import LONGEST_FIELD, Extract, Part, UnreadableError, tidy

MOST_UNPACKED_BYTES = 100_000_000
MOST_MEMBERS = 5_000


def unpacked_safely(body: bytes) -> None:
    """Raise UnreadableError when a file is damaged or too large unpacked. A member cannot exceed its declared size: zipfile stops there."""
    try:
        with zipfile.ZipFile(BytesIO(body)) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:
        raise UnreadableError(f"damaged ({error})") from error
    size = sum(member.file_size for member in members)
    if len(members) > MOST_MEMBERS or size > MOST_UNPACKED_BYTES:
        raise UnreadableError(f"{len(members)} parts, {size:,} bytes unpacked")


def properties(about: Any, parts: list[Part]) -> Extract:
    """An extract of these parts with the properties of the file. openpyxl names the author `creator`."""
    saved = about.modified or about.created  # a template is created years before the files made from it
    return Extract(
        title=tidy(about.title)[:LONGEST_FIELD],
        parts=parts,
        keywords=tidy(about.keywords)[:LONGEST_FIELD],
        description=tidy(about.subject)[:LONGEST_FIELD],
        author=tidy(getattr(about, "author", None) or getattr(about, "creator", None))[:LONGEST_FIELD],
        published=saved.date().isoformat() if saved is not None else "",
    )
