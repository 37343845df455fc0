"""Finds personal data in a text: mainland mobile numbers and ID numbers, bank cards, e-mail addresses, ID numbers of Taiwan and Hong Kong.

The conflict: a page is full of numbers that look alike (orders, QQ, ISBN, timestamps, amounts). So a number counts only if its check digit
holds, where it has one, and it is a number by itself: no part of a longer one, of a word, a URL or an amount. The nearest word before it
decides what it is (personal_data.toml). What is weak by itself (an ID of Taiwan, one of Hong Kong without brackets, a card of 16 digits in one
run) needs such a word.

    phone   1 and 10 digits of an assigned range, 3-4-4 or 4-3-4, also after +86
    id      GB 11643-1999: region, day of birth, ISO 7064 MOD 11-2
    card    ranges of UnionPay, Visa, Mastercard, American Express, JCB and Discover, by the check digit of Luhn (ISO/IEC 7812)
    tw_id, hk_id   letters and digits with their check digit
    email   with a top-level domain that people have
Cost    .3 ms for 7 000 characters. Each part of the text is looked at within bounds, whatever it is.
But     no names, addresses, landlines, passports. The library python-stdnum refuses IDs of residence permits (81, 82, 83) and of regions that
        were renamed after the birth, so the check of IDs is our own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache, partial
from typing import NamedTuple

from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table

PHONE, ID, CARD, EMAIL, TW_ID, HK_ID = "phone", "id", "card", "email", "tw_id", "hk_id"
KINDS = (PHONE, ID, CARD, EMAIL, TW_ID, HK_ID)
PLACEHOLDERS = {PHONE: "[PHONE]", ID: "[ID]", CARD: "[CARD]", EMAIL: "[EMAIL]", TW_ID: "[ID]", HK_ID: "[ID]"}
MOST_COUNTED = 100_000  # characters of a text whose personal data are counted: the crawl waits meanwhile
BEFORE, AFTER = 40, 12  # characters around a candidate that are looked at
LONGEST_GAP = 12  # characters between a word and the number that it names

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_WIDE |= dict.fromkeys(map(ord, "‐‑‒–—−"), ord("-")) | {ord("￥"): ord("¥"), ord("￡"): ord("£")}
_DIGITS = re.compile(r"\d(?:[ 　\-－‐–—]?\d){5,40}+")  # a candidate, in any width
_AT = re.compile(r"[@＠]")


class Found(NamedTuple):
    """Personal data at text[start:end]."""

    kind: str  # one of KINDS
    start: int
    end: int


def personal_data_in(text: str) -> list[Found]:
    """All personal data of a text, in order, without overlaps."""
    if _DIGITS.search(text) is None and _AT.search(text) is None:
        return []
    found = list(_emails(text))
    taken = {at for one in found for at in range(one.start, one.end)}
    for kind, start, end in _numbers(text):
        if start not in taken and end - 1 not in taken:
            found.append(Found(kind, start, end))
            taken.update(range(start, end))
    return sorted(found, key=lambda one: one.start)


def counts_of(*texts: str) -> str:
    """The number of personal data in texts by kind, as `phone=2, email=1`; empty when there are none. Of a long text the first MOST_COUNTED
    characters count."""
    counts = Counter(one.kind for text in texts for one in personal_data_in(text[:MOST_COUNTED]))
    return ", ".join(f"{kind}={counts[kind]}" for kind in KINDS if counts[kind])


def redacted(text: str) -> str:
    """The text with a placeholder in place of all personal data."""
    pieces, last = [], 0
    for kind, start, end in personal_data_in(text):
        pieces += [text[last:start], PLACEHOLDERS[kind]]
        last = end
    return "".join([*pieces, text[last:]])


# --- e-mail

_TOP_LEVELS = """
    com net org edu gov mil int info biz name pro mobi asia tel xin top vip club shop site online store tech app dev cloud live work world
    group ltd fun icu xyz wang ren email art blog news media studio design space run plus red ink kim cool center today company agency
"""
_TOP_LEVEL = frozenset(_TOP_LEVELS.split())
_NO_DOMAIN = frozenset({"js", "ts", "vb", "gz", "7z", "db", "xz"})  # of two letters, and of no country
_LOCAL = lazy_pattern(r"(?:(?<=[^A-Za-z0-9._%+\\-])|^)[A-Za-z0-9_](?:[A-Za-z0-9._%+\\-]{0,63})\Z")
_DOMAIN = lazy_pattern(
    r"((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,5})([A-Za-z]{2,12})(?![A-Za-z0-9-])"
)
_NOBODY = lazy_pattern(r"[x*]+@.*|.*@(?:x{2,}|example)\.\w+")  # as documentation writes it
LONGEST_LOCAL, LONGEST_DOMAIN = 66, 120
_PLACES_OF_CODE = frozenset({"git", "svn", "hg"})  # git@github.com:…


def _emails(text: str) -> Iterator[Found]:
    for sign in _AT.finditer(text):
        at = sign.start()
        before = text[max(0, at - LONGEST_LOCAL) : at].translate(_WIDE)
        local = _LOCAL.search(before)
        domain = _DOMAIN.match(text[at + 1 : at + 1 + LONGEST_DOMAIN].translate(_WIDE))
        if local is None or domain is None or local[0].lower() in _PLACES_OF_CODE:
            continue
        last = domain[2].lower()
        if _NOBODY.fullmatch(f"{local[0]}@{domain[0]}".lower()):
            continue
        if last not in _TOP_LEVEL and (len(last) != 2 or last in _NO_DOMAIN):
            continue
        if local[0].endswith(".") or ".." in local[0] or before[: local.start()].endswith(("://", "/")):
            continue
        if "://" in before[: local.start()].rpartition(" ")[2] and before[: local.start()].endswith(":"):
            continue  # a password in a URL
        yield Found(EMAIL, at - len(local[0]), at + 1 + domain.end())


# --- numbers

_About = Callable[[str], bool]  # whether the text names ID numbers of a kind at all

_LABELS = package_table("pages/personal_data.toml")


def _words(name: str) -> str:
    words, latin = _LABELS[name]["words"].split(), _LABELS[name]["latin"].split()
    of_letters = "|".join(map(re.escape, sorted(latin, key=len, reverse=True)))
    return f"(?:{'|'.join(map(re.escape, words))}|(?<![a-z])(?:{of_letters})(?![a-z]))"


_NO_PERSON = lazy_pattern(_words("no_person"))
_NAMED = {kind: lazy_pattern(_words(kind)) for kind in (PHONE, ID, CARD, TW_ID, HK_ID)}
_AMOUNT = lazy_pattern(rf" ?(?:余|多|左右)?{_words('amounts')}")
_CURRENCY = lazy_pattern(r"(?:[¥$€£]|rmb|usd|hkd|cny|人民币|nt\$) ?-?\Z")
_NO_GAP = lazy_pattern(r"[,。;!?\n、|<>\[\]{}]")
_RUN = lazy_pattern(r"[A-Za-z0-9./:?=&%_#@+~-]*\Z")
_ADDRESS = lazy_pattern(r"www\.|://|\.[a-z]{2,}/|/[a-z]/")
_NUMBERS_BEFORE = lazy_pattern(r"(?:\+?[\d-]{7,19}[/:])+\Z")
_END = lazy_pattern(r"[A-Za-z0-9_=%@]|\.[A-Za-z0-9]|-\d|:\d|,\d{3}")

_PHONE_RANGE = r"1(?:3\d|4[5-9]|5[0-35-9]|6[25-7]|7[0-35-8]|8\d|9[0-35-9])"
_PHONE_NUMBER = lazy_pattern(
    rf"(?<!\d)(?:(?:\(?(?:\+|00)86\)?|\(86\)|86(?=[ -]))[ -]{{0,2}})?"
    rf"{_PHONE_RANGE}(?:\d{{8}}|([ -])\d{{4}}\1\d{{4}}|\d([ -])\d{{3}}\2\d{{4}})(?!\d)"
)
_ID_NUMBER = lazy_pattern(r"(?<!\d)[1-9]\d{5}(?:[12]\d{7}\d{3}|([ -])[12]\d{7}\1\d{3})[\dXx](?![A-Za-z\d])")
_CARD_NUMBER = lazy_pattern(
    r"(?<!\d)(?:\d{15,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{3,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{5}|\d{6}([ -])\d{10,13})(?!\d)"
)
_TW_NUMBER = lazy_pattern(r"(?<![A-Za-z\d])[A-Z][1289]\d{8}(?!\d)")
_HK_NUMBER = lazy_pattern(r"(?<![A-Za-z\d])[A-Z]{1,2}\d{6} ?(?:\([\dA]\)|[\dA](?![A-Za-z\d]))")

_REGION = lazy_pattern(r"1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_FIRST_BIRTH = date(1900, 1, 1)
_TW_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"  # 10, 11, 12 …


def _numbers(text: str) -> Iterator[Found]:
    """The candidates that hold, those of the surest kind first."""
    is_about = cache(partial(_is_about, text))
    found = {one for digits in _DIGITS.finditer(text) for one in _near(text, digits, is_about)}
    return (one for _, one in sorted(found))


def _near(text: str, digits: re.Match[str], is_about: _About) -> Iterator[tuple[int, Found]]:
    """The numbers of a candidate that hold, each with the rank of its kind."""
    begin = max(0, digits.start() - BEFORE)
    around = text[begin : digits.end() + AFTER].translate(_WIDE)
    first, last = max(0, digits.start() - begin - 5), digits.end() - begin + 3
    for rank, (kind, pattern, holds) in enumerate(_PATTERNS):
        for one in pattern.finditer(around, first):
            if one.end() > last or (is_sure := holds(one[0])) is False:
                continue
            named = _named(around, one.start(), kind)
            is_meant = is_sure or named or (kind in (TW_ID, HK_ID) and is_about(kind))
            if named is not False and is_meant and _stands_alone(around, one, kind):
                yield rank, Found(kind, begin + one.start(), begin + one.end())


def _named(around: str, start: int, kind: str) -> bool | None:
    """Whether the nearest word before a number says that it is of this kind; None when no word says anything."""
    before = around[max(0, start - BEFORE) : start].lower()
    best, verdict = -1, None
    for pattern, says in ((_NO_PERSON, False), (_NAMED[kind], True)):
        for word in pattern.finditer(before):
            gap = before[word.end() :]
            if word.end() >= best and len(gap) <= LONGEST_GAP and _NO_GAP.search(gap) is None:
                best, verdict = word.end(), says
    return verdict


def _stands_alone(around: str, one: re.Match[str], kind: str) -> bool:
    """Whether a number is no part of a word, a URL, a longer number or an amount."""
    start, end = one.span()
    run = _RUN.search(around[max(0, start - BEFORE) : start])
    ahead = run[0].lower() if run is not None else ""
    if any(sign in ahead for sign in "=%&#@_?~") or ahead.endswith(("+", "--")) or _ADDRESS.search(ahead):
        return False
    if any(map(str.isalpha, ahead)):
        labels = [word.end() for word in _NAMED[kind].finditer(ahead)]
        if not labels or ahead[labels[-1] :].strip(".:/- "):
            return False
    elif ahead.endswith(".") or (any(map(str.isdigit, ahead)) and _NUMBERS_BEFORE.fullmatch(ahead) is None):
        return False
    after = around[end:].lower()
    if _END.match(after) or _CURRENCY.search(around[max(0, start - 8) : start].lower()):
        return False
    return kind in (TW_ID, HK_ID, ID) or _AMOUNT.match(after) is None


# Each tells of a number as written whether it is one of its kind; None = only where a word says so.


def _is_id(written: str) -> bool:
    digits = _joined(written)
    if not _REGION.match(digits) or digits[-1].upper() != id_check(digits[:17]):
        return False
    try:
        born = date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return False
    return _FIRST_BIRTH <= born <= date.today()  # noqa: DTZ011 to the day is near enough


def id_check(digits: str) -> str:
    """The check digit of the first 17 digits of a mainland ID number: ISO 7064, MOD 11-2."""
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, digits, strict=True))
    return "10X98765432"[total % 11]


def _is_card(written: str) -> bool | None:
    digits = _joined(written)
    if not (_is_issued(digits) and luhn(digits)) or len(set(digits)) < 3:
        return False
    return digits != written or (len(digits) == 19 and digits.startswith(("62", "9558", "9559"))) or None


# The first four digits of Mastercard, Discover and JCB.
_ISSUED = ((5100, 5599), (2221, 2720), (6011, 6011), (6440, 6599), (3528, 3589))


def _is_issued(digits: str) -> bool:
    """Whether the range and the length of a card number are those of an issuer."""
    length, four = len(digits), int(digits[:4])
    if digits.startswith("62"):
        return 16 <= length <= 19
    if digits.startswith(("9558", "9559", "4")):
        return length == 19 or (length == 16 and digits[0] == "4")
    if any(first <= four <= last for first, last in _ISSUED):
        return length == 16
    return length == 15 and digits.startswith(("34", "37"))


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of Luhn."""
    own, doubled = digits[-1::-2], digits[-2::-2]
    return (sum(map(int, own)) + sum(sum(divmod(2 * int(digit), 10)) for digit in doubled)) % 10 == 0


def _is_tw_id(written: str) -> bool | None:
    letter = 10 + _TW_LETTERS.index(written[0])
    total = letter // 10 + letter % 10 * 9 + sum(int(d) * (8 - at) for at, d in enumerate(written[1:9]))
    return False if (total + int(written[9])) % 10 else None


def _is_hk_id(written: str) -> bool | None:
    plain = re.sub(r"[ ()]", "", written)
    letters = [ord(letter) - 55 for letter in plain[:-7]]
    values = [*([36] * (2 - len(letters))), *letters, *map(int, plain[-7:-1]), int(plain[-1], 16)]
    if sum(weight * value for weight, value in zip(range(9, 0, -1), values, strict=True)) % 11:
        return False
    return "(" in written or None


def _is_about(text: str, kind: str) -> bool:
    """Whether a text names such ID numbers at all, as the head of a table does."""
    return any(word in text for word in _LABELS[kind]["words"].split())


def _joined(written: str) -> str:
    return written.replace(" ", "").replace("-", "")


_Holds = Callable[[str], bool | None]
_PATTERNS: tuple[tuple[str, re.Pattern[str], _Holds], ...] = (
    (ID, _ID_NUMBER, _is_id),
    (CARD, _CARD_NUMBER, _is_card),
    (PHONE, _PHONE_NUMBER, lambda _: True),
    (HK_ID, _HK_NUMBER, _is_hk_id),
    (TW_ID, _TW_NUMBER, _is_tw_id),
)
