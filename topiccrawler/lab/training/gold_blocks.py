"""Which blocks of a page are in its gold text: the share of each block's tokens that the gold text holds, aligned.

Gold text has no offsets, and words of the text stand elsewhere on the page too. So runs of RUN tokens are matched in
order first, then longer runs that were moved, then short blocks (a heading, a cell) near what was found.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter, defaultdict
from difflib import SequenceMatcher

RUN = 4  # tokens of a match in order
MOVED_RUN = 6
MOVED_ROUNDS = 3
SHORT_BLOCK = 8  # tokens
NEAR = 6  # blocks
FOUND = 0.5  # share of a block's tokens

_TOKEN = re.compile(r"[一-鿿]|[^\W_一-鿿]+")


def tokens(text: str) -> list[str]:
    """Single Han characters, other runs of letters and digits."""
    return _TOKEN.findall(text.lower())


def gold_shares(blocks: list[list[str]], gold: list[str]) -> list[float]:
    """The share of the tokens of each block that stand in the gold text; each gold token serves once."""
    page = [token for block in blocks for token in block]
    hit, used = [False] * len(page), [False] * len(gold)
    _in_order(page, gold, hit, used)
    for _ in range(MOVED_ROUNDS):
        if not _moved(page, gold, hit, used):
            break
    shares, at = [], 0
    for block in blocks:
        shares.append(sum(hit[at : at + len(block)]) / max(1, len(block)))
        at += len(block)
    _short_blocks(
        blocks, shares, Counter(token for token, taken in zip(gold, used, strict=True) if not taken)
    )
    return shares


def _in_order(page: list[str], gold: list[str], hit: list[bool], used: list[bool]) -> None:
    matcher = SequenceMatcher(None, _runs(page), _runs(gold), autojunk=False)
    for at, there, length in matcher.get_matching_blocks():
        for step in range(length + RUN - 1 if length else 0):
            if not used[there + step]:
                hit[at + step] = used[there + step] = True


def _runs(sequence: list[str]) -> list[tuple[str, ...]]:
    return [tuple(sequence[at : at + RUN]) for at in range(len(sequence) - RUN + 1)]


def _moved(page: list[str], gold: list[str], hit: list[bool], used: list[bool]) -> bool:
    """Take in runs that stand elsewhere on the page; were there any?"""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in range(len(gold) - MOVED_RUN + 1):
        if not any(used[at : at + MOVED_RUN]):
            places[tuple(gold[at : at + MOVED_RUN])].append(at)
    found = False
    at = 0
    while at <= len(page) - MOVED_RUN:
        run = tuple(page[at : at + MOVED_RUN])
        length = 0
        if run in places and not any(hit[at : at + MOVED_RUN]):
            for there in places[run]:
                while (
                    at + length < len(page)
                    and there + length < len(gold)
                    and page[at + length] == gold[there + length]
                    and not (used[there + length] or hit[at + length])
                ):
                    used[there + length] = hit[at + length] = True
                    length += 1
                if length:
                    found = True
                    break
        at += max(1, length)
    return found


def _short_blocks(blocks: list[list[str]], shares: list[float], left: Counter[str]) -> None:
    found = [at for at, share in enumerate(shares) if share >= FOUND]
    if not found:
        return
    near = []
    for at, block in enumerate(blocks):
        if block and shares[at] < FOUND and len(block) <= SHORT_BLOCK:
            place = bisect(found, at)
            near.append((min(abs(there - at) for there in found[max(0, place - 1) : place + 1]), at))
    for distance, at in sorted(near):
        needed = Counter(blocks[at])
        if distance <= NEAR and needed <= left:
            left -= needed
            shares[at] = 1.0
