"""Leaves out of a main text what is said beside an article: readers' comments, menus, and lines that lead elsewhere ("Read also").

Such lines stand among the paragraphs and are as long as headings, so only their words tell them (asides.toml). Comments are prose like the
article; only the names of their elements tell them. On a page of a forum they are the text: so comments stay where the page declares
itself one, and where they are longer than the rest, unless the page declares itself an article.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, groupby
from operator import itemgetter

from topiccrawler.pages.document import Block, Document
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table

LONGEST_ASIDE = 160  # characters
LONGEST_SENTENCE = 60  # characters of an aside that ends with a full stop
LEAST_TEXT = 400  # characters outside comments
PARAGRAPH = 80  # characters; shorter blocks count for neither side
MOST_LINKED = 0.3  # share of a paragraph in links
LEAST_ITEMS = 3  # links in a row
LONGEST_ITEM, LONGEST_LABEL = 80, 25  # characters

_ASIDE = lazy_pattern(
    rf"\W{{0,5}}(?:{'|'.join(one for kind in package_table('pages/asides.toml').values() for one in kind)})",
    re.IGNORECASE,
)
_COMMENTS = lazy_pattern(
    r"(?:^|[\s_-])(?:comments?|commentlist|respond|disqus|kommentare?|comentarios|commentaires|reacties)(?:[\s_-]|$)"
    r"|comment-?(?:list|body|content|area|section|thread)",
    re.IGNORECASE,
)

_FORUM = ("DiscussionForumPosting", "QAPage")  # types that a page of a forum declares in JSON-LD or microdata


def without_asides(document: Document, blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a main text without comments and short lines that lead elsewhere."""
    text, metas = document.text, document.metas
    kept = _without_menus([block for block in blocks if not _is_aside(text, block)])
    comments = _in_comments(document, kept)
    if not comments or any(sign in document.source for sign in _FORUM):
        return kept
    own = in_comments = 0
    for block in kept:
        length = block.end - block.start
        if block.start in comments:
            in_comments += length
        elif length >= PARAGRAPH and block.link_characters < MOST_LINKED * length:
            own += length
    is_article = "article" in metas.get("og:type", "").lower() or any("published" in name for name in metas)
    if own < LEAST_TEXT or not (is_article or own > in_comments):
        return kept
    return [block for block in kept if block.start not in comments]


def _is_aside(text: str, block: Block) -> bool:
    most = LONGEST_SENTENCE if text[block.end - 1] == "." else LONGEST_ASIDE
    return block.end - block.start <= most and _ASIDE.match(text, block.start, block.end) is not None


def _without_menus(blocks: list[Block]) -> list[Block]:
    """The blocks without runs of at least LEAST_ITEMS short links (categories, archives) and the short label above each; all blocks when
    such links are a quarter of the text."""
    lengths = [block.end - block.start for block in blocks]
    linked = [
        length <= LONGEST_ITEM and 2 * block.link_characters >= length
        for block, length in zip(blocks, lengths, strict=True)
    ]
    if 4 * sum(compress(lengths, linked)) > sum(lengths):
        return blocks
    kept: list[Block] = []
    for is_menu, run in groupby(zip(linked, blocks, strict=True), key=itemgetter(0)):
        members = [block for _, block in run]
        if not is_menu or len(members) < LEAST_ITEMS:
            kept += members
        elif kept and kept[-1].end - kept[-1].start <= LONGEST_LABEL:
            kept.pop()
    return kept


def _in_comments(document: Document, blocks: Sequence[Block]) -> set[int]:
    """The starts of the blocks in elements that are named as comments."""
    named = {node for node, names in document.node_names.items() if _is_comments(names)}
    if not named:
        return set()
    return {block.start for block in blocks if not named.isdisjoint(document.with_ancestors(block.node))}


@lru_cache(maxsize=4096)
def _is_comments(names: str) -> bool:
    return _COMMENTS.search(names) is not None
