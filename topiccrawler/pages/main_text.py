"""Extracts the main text of a page: what its author wrote, without navigation, advertisements and legal lines.

`main_text` chooses between two methods by script, because Chinese and other writing systems need different ones. Sentences of Chinese run
without blanks and articles are in one piece: the stretch with the most prose is the text (`prose_stretch`), and a hub has none. The block
classifier (pages.block_classifier) was learned from pages of seven kinds in alphabetic scripts, where a list, a forum or a product has
text too; it was never evaluated on Chinese pages. A page with at least HAN_SHARE of Han characters counts as Chinese.
Copies     some pages hold their article twice, for another layout. A block of COPY_CHARACTERS or more that occurred before, word for
           word, is left out, and so are the blocks after it, short ones too, as long as they repeat what followed the first copy.
Bounds     only the first MOST_BLOCKS blocks are read.
But        a page without main text gives "", and the page classifier uses all its text.

`prose_stretch` finds the stretch of blocks with the most prose: the main text of a page in Chinese. No tag marks the text, and link lists
with summaries look like text; but only running text has sentences.
Idea       Every block of text gets a value: its characters outside links if it reads like a sentence, less
           a price for each block; links cost. The stretch of blocks with the largest sum is the text.
           Short paragraphs beside it in the same element are added again; blocks made of links, captions,
           blocks of foreign regions and legal lines are left out. Where an element named like an article body
           holds a fair part of the prose, only its blocks are considered.
Formula    value(b) = sentence·(length − links) − links − price; links cost LINK_BLOCK_COST each where they
           are most of the block; the first term is 0 in foreign regions; sentence = 1 with a sentence sign or
           >= LONG_CHARACTERS, else SCRAP; price = NEAR_PRICE in the same element as the block before,
           SIBLING_PRICE in the element beside it, else PRICE (NAMED_PRICE within a named body); text = the
           stretch i..j with the largest Σ value (Kadane's algorithm).
Parameters the constants below, by trial on the shared gold pages (benchmarks/extraction.py); within a factor of
           two each moves F1 by less than .01, in both halves alike. All those pages are of one portal.
Cost       one pass over the blocks; benchmarks/reading.py.
But        regions and body names are only what authors call them: a region with most of the prose is not
           foreign. A page without prose (hub, list) has no main text.
Reference  maximum subsequence segmentation (Pasternack & Roth 2009); density as in MySpider §4.3.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import islice

from topiccrawler.pages.asides import without_asides
from topiccrawler.pages.block_classifier import shipped_classifier
from topiccrawler.pages.document import BOUNDARY, Block, BlockRow, Document
from topiccrawler.text.characters import script_counts

LONG_CHARACTERS = 45
SCRAP = 0.3
PRICE = 30.0
NAMED_PRICE = 4.0  # inside an element named like an article body
NEAR_PRICE = 3.0  # in the same element as the block before
SIBLING_PRICE = 15.0  # in the element beside it
LEAST_VALUE = 20.0
MAIN_REGION_SHARE = 0.5
NAMED_BODY_SHARE = 0.3
LINK_BLOCK_SHARE = 0.6
LINK_BLOCK_COST = 6.0
LONGEST_CAPTION = 60
LONGEST_LEGAL = 160

_HOMES = frozenset(
    [
        "div",
        "td",
        "article",
        "section",
        "main",
        "body",
        "form",
        "center",
        "blockquote",
        "dd",
        "ul",
        "ol",
        "dl",
    ]
)
_LEADS = frozenset({"header", "aside"})  # regions of an article that a lead is in
_LISTS = frozenset({"ul", "ol", "dl"})
# "[。！？；!?;]|，[^，]+，|[,.] ", but with a set of characters first: `re` skips other characters in a third of the time.
_SENTENCE = re.compile(r"[。！？；!?;，,.](?:(?<=[。！？；!?;])|(?<=，)[^，]+，|(?<=[,.]) )")
_LEGAL = re.compile(
    r"copyright|©|all rights reserved|版权所有|ICP[备证]\d|ICP备案号|公网安备|违法和不良信息|免责声明",
    re.IGNORECASE,
)
_BODY_NAME = re.compile(
    r"(?:^| )(?:article|post|entry)(?: |$)"
    r"|arti(?:cle|cal)?[-_]?(?:body|content|text|txt|main|detail)"
    r"|(?:post|entry|news|blog|main|story|page|text)[-_]?(?:body|content|text|txt)"
    r"|(?:body|content|text)[-_]?(?:article|main|detail|post|txt)"
    r"|TRS_Editor|rich_media_content|markdown-body|zhengwen|neirong",
    re.IGNORECASE,
)
_CAPTION_NAME = re.compile(r"(?:^|[ _-])(?:img|image|pic|photo|figure|caption)", re.IGNORECASE)


def prose_stretch(document: Document, blocks: Sequence[BlockRow]) -> list[BlockRow]:
    """The blocks that are main text; none when the page has no prose."""
    prose = _prose(document.text, blocks)
    body = _named_body(document, blocks, prose)
    if body:
        first, after = _article_around(document, body), _after(document.node_parents, body)
        chosen = [
            at
            for at, (_, _, node, _) in enumerate(blocks)
            if body <= node < after or (first <= node < body and prose[at] > PRICE)
        ]
        blocks, prose = [blocks[index] for index in chosen], [prose[index] for index in chosen]
    regions = [document.node_regions[node] for _, _, node, _ in blocks]
    foreign = _foreign_regions(regions, prose)
    is_foreign = [region in foreign for region in regions]
    if body:
        _admit_lead(regions, prose, is_foreign)
    homes = [_home(document, node) for _, _, node, _ in blocks]
    first, last = _best_stretch(document, blocks, prose, homes, is_foreign, NAMED_PRICE if body else PRICE)
    first, last = _with_edges(prose, homes, first, last)
    return [
        blocks[at] for at in range(first, last + 1) if not is_foreign[at] and _belongs(document, blocks[at])
    ]


def _article_around(document: Document, body: int) -> int:
    """The innermost <article> that an article body is in; the body itself without one."""
    around = (node for node in document.with_ancestors(body) if document.node_tags[node] == "article")
    return next(around, body)


def _admit_lead(regions: list[str], prose: list[float], is_foreign: list[bool]) -> None:
    """Count the sentences before the text as text: inside an article its header holds the lead, and so may an aside."""
    for at, amount in enumerate(prose):
        if amount > PRICE:
            if not is_foreign[at]:
                return
            is_foreign[at] = regions[at] not in _LEADS


def _prose(text: str, blocks: Sequence[BlockRow]) -> list[float]:
    """The characters of each block outside links; multiplied by SCRAP if the block does not read like a sentence."""
    found: list[float] = []
    has_sentence = _SENTENCE.search
    for start, end, _, in_links in blocks:
        plain = end - start - in_links
        if plain >= LONG_CHARACTERS or (plain > 8 and has_sentence(text, start, end)):
            found.append(plain)
        else:
            found.append(plain * SCRAP)
    return found


def _named_body(document: Document, blocks: Sequence[BlockRow], prose: list[float]) -> int:
    """The element named like an article body that has the most prose, the innermost of nearly equal ones; 0 for none."""
    named = [node for node, names in document.node_names.items() if _is_body_name(names)]
    if "article" in document.node_tags:
        named = sorted({*named, *(node for node, tag in enumerate(document.node_tags) if tag == "article")})
    if not named:
        return 0
    sums = dict.fromkeys(named, 0.0)
    total = 0.0
    parents = document.node_parents
    for block, amount in zip(blocks, prose, strict=True):
        if amount <= PRICE:
            continue
        total += amount
        node = block[2]
        while node >= named[0]:
            if node in sums:
                sums[node] += amount
            node = parents[node]
    best = max(named, key=lambda node: (sums[node], node))
    while True:
        after = _after(parents, best)
        inner = [node for node in named if best < node < after and sums[node] >= 0.8 * sums[best]]
        if not inner:
            break
        best = inner[-1]
    return best if sums[best] >= NAMED_BODY_SHARE * total and sums[best] > LEAST_VALUE else 0


@lru_cache(maxsize=4096)
def _is_body_name(names: str) -> bool:
    return _BODY_NAME.search(names) is not None


def _foreign_regions(regions: list[str], prose: list[float]) -> set[str]:
    sums: dict[str, float] = {}
    for region, amount in zip(regions, prose, strict=True):
        if amount > PRICE:
            sums[region] = sums.get(region, 0.0) + amount
    most = MAIN_REGION_SHARE * sum(sums.values())
    return {"navigation", "header", "aside", "footer"} - {region for region in sums if sums[region] > most}


def _home(document: Document, node: int) -> int:
    """The structural element around the element of a block."""
    tags, parents = document.node_tags, document.node_parents
    while node > 0 and tags[node] not in _HOMES:
        node = parents[node]
    return node


def _best_stretch(
    document: Document,
    blocks: Sequence[BlockRow],
    prose: list[float],
    homes: list[int],
    is_foreign: list[bool],
    price: float,
) -> tuple[int, int]:
    """First and last index of the stretch of blocks with the largest value; (0, -1) when none exceeds LEAST_VALUE."""
    parents, tags = document.node_parents, document.node_tags
    best = (0, -1)
    most, start, total, before = LEAST_VALUE, 0, 0.0, -1
    for index, ((begin, end, _, in_links), amount, home) in enumerate(zip(blocks, prose, homes, strict=True)):
        if tags[home] in _LISTS or before < 0:
            cost = price
        elif home == before:
            cost = NEAR_PRICE
        else:
            cost = min(price, SIBLING_PRICE) if parents[home] == parents[before] else price
        before = home
        value = 0.0 if is_foreign[index] else amount
        value -= cost + (
            LINK_BLOCK_COST * in_links if in_links > LINK_BLOCK_SHARE * (end - begin) else in_links
        )
        if total <= 0:
            start, total = index, 0.0
        total += value
        if total > most:
            most, best = total, (start, index)
    return best


def _with_edges(prose: list[float], homes: list[int], first: int, last: int) -> tuple[int, int]:
    """First and last index of a stretch, extended by adjacent paragraphs in the element that holds most of the text."""
    if last < first:
        return first, last
    sums: dict[int, float] = {}
    for home, amount in zip(homes[first : last + 1], prose[first : last + 1], strict=True):
        sums[home] = sums.get(home, 0.0) + amount
    main = max(sums, key=sums.__getitem__)
    while first > 0 and homes[first - 1] == main:
        first -= 1
    while last + 1 < len(homes) and homes[last + 1] == main:
        last += 1
    return first, last


def _after(parents: list[int], ancestor: int) -> int:
    """The first node behind `ancestor` that is not below it. Nodes are in document order."""
    after = ancestor + 1
    while after < len(parents) and parents[after] >= ancestor:
        after += 1
    return after


def _belongs(document: Document, block: BlockRow) -> bool:
    start, end, node, in_links = block
    length = end - start
    if in_links > LINK_BLOCK_SHARE * length:
        return False
    if length < LONGEST_LEGAL and _LEGAL.search(document.text, start, end):
        return False
    return not (length < LONGEST_CAPTION and _is_caption(document, node))


def _is_caption(document: Document, node: int) -> bool:
    tags, names = document.node_tags, document.node_names
    return any(
        tags[near] == "figcaption" or _CAPTION_NAME.search(names.get(near, ""))
        for near in islice(document.with_ancestors(node), 3)
    )


HAN_SHARE = 0.1
COPY_CHARACTERS = 60
# A block of so many characters that has the openings of the first so many long lines is a copy of the whole text.
WHOLE_COPY, OPENINGS = 500, 2
MOST_BLOCKS = 20_000


def main_text(document: Document, without: Collection[str] = ()) -> str:
    """The main text, one block a line; "" when the page has none. `without`: lines to leave out, which the site repeats."""
    return "\n".join(line for _, line in main_lines(document, without))


def main_lines(document: Document, without: Collection[str] = ()) -> list[tuple[Block, str]]:
    """The blocks of the main text with their texts, without copies. `without`: lines to leave out."""
    blocks = seen_blocks(document)
    if without:
        blocks = [block for block in blocks if line_of(document, block) not in without]
    if not blocks:
        return []
    if is_chinese(document):
        return without_copies(document, prose_stretch(document, blocks))
    chosen = shipped_classifier().chosen(document, [Block(*block) for block in blocks])
    return without_copies(document, without_asides(document, chosen))


def seen_blocks(document: Document) -> list[BlockRow]:
    """The blocks that readers see, at most MOST_BLOCKS."""
    blocks = document.block_rows[:MOST_BLOCKS]
    if not document.unseen_nodes:
        return blocks
    end, is_unseen = 0, bytearray(len(document.node_parents))
    for node in document.unseen_nodes:
        if node >= end:  # else inside the one before
            end = _after(document.node_parents, node)
            is_unseen[node:end] = b"\1" * (end - node)
    return [block for block in blocks if not is_unseen[block[2]]]


def line_of(document: Document, block: BlockRow) -> str:
    """The text of a block, on one line."""
    return document.text[block[0] : block[1]].replace(BOUNDARY, " ")


def is_chinese(document: Document) -> bool:
    """Whether at least HAN_SHARE of the page's text are Han characters."""
    return script_counts(document.text, ["han"])["han"] >= HAN_SHARE * len(document.text)


def without_copies(document: Document, blocks: Sequence[BlockRow]) -> list[tuple[Block, str]]:
    """The blocks of a main text that are not copies of earlier ones, with their texts."""
    kept: list[tuple[Block, str]] = []
    places: dict[str, int] = {}
    following = -1  # index in `kept` of the line that the next block repeats if the copy continues
    openings: list[str] = []  # of the first long lines
    for block in blocks:
        line = line_of(document, block)
        place = places.get(line, -1) if len(line) >= COPY_CHARACTERS else -1
        if 0 <= following < len(kept) and kept[following][1] == line:
            place = following
        if place >= 0:
            following = place + 1
            continue
        following = -1
        if len(line) >= WHOLE_COPY and len(openings) == OPENINGS and all(one in line for one in openings):
            continue
        places.setdefault(line, len(kept))
        kept.append((Block(*block), line))
        if COPY_CHARACTERS <= len(line) < WHOLE_COPY and len(openings) < OPENINGS:
            openings.append(line[:COPY_CHARACTERS])
    return kept
