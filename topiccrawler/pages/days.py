"""Finds the days a page was published and modified.

Pages hold many dates and mark few of them. So each place where a page may state its day is a voice, and the surest voice that gives a valid
day counts.
Idea       published: what the page declares (metas; JSON-LD; elements marked as published; variables of scripts), else what it shows:
           the path of the URL; a date in the opening, marked (发布时间, posted, 来源 behind it) before unmarked, never in running text; a
           `<time>` element; a marked date anywhere; a relative date (昨天, 3小时前); a marked change. What is shown one day beside what
           is declared is right: the declared moment is in UTC. Without any of these htmldate is asked about articles: it knows more
           languages and markup. The opening stands around the title: BEFORE_TITLE above it, OPENING_CHARACTERS below it.
           modified: metas, JSON-LD, marked elements, a marked date in the opening.
Parameters EARLIEST year 1991 (the web's first), no day later than tomorrow.
Cost       .5 to 1 ms a page, with htmldate 2 to 50 ms, for one page in twenty: it is called for kept pages only.
Measured   on 500 pages of htmldate's own evaluation F1 .952 (htmldate alone .952), on 34 Chinese news pages 1.0 (.970). Asked about lists
           too, htmldate brings .956 there, and wrong days to every list of three recorded webs.
But        a UTC time is not converted by itself; 05/03/2024 is in March when written, in May when declared.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote

from topiccrawler.pages.declarations import (
    COMMENT_NAME,
    MODIFIED,
    PUBLISHED,
    UNMARKED,
    Declarations,
    metas_of,
    without_other_texts,
)
from topiccrawler.pages.document import BOUNDARY, Document
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table

EARLIEST = 1991
OPENING_CHARACTERS = 400
LONGEST_DATE = 50  # characters
BEFORE_TITLE = 150  # characters
OTHER = "other"  # the mark of a date of something else
MARK_CHARACTERS = 40  # before a date, in which its mark stands
SHORT_LINE = 60  # characters beside the date; a longer line is running text
SHORTEST_TITLE = 4  # characters
LONGEST_URL = 2_083
LONGEST_DECLARED = 200
MOST_SEARCHED = 500_000  # characters of a page, by htmldate
MOST_DATES = 100  # in the source of a page; one with more is a list, on which htmldate is slow and wrong

_MARKUP = package_table("pages/markup.toml")
# Names of metas, and keys of JSON-LD.
_STATED: dict[str, tuple[list[str], list[str]]] = {
    PUBLISHED: (_MARKUP["date_metas"].split(), ["datePublished", "dateCreated", "uploadDate", "pubDate"]),
    MODIFIED: (_MARKUP["modified_metas"].split(), ["dateModified"]),
}
_MONTHS = {name: number for number, names in enumerate(_MARKUP["months"], 1) for name in names.split()}


class Days(NamedTuple):
    """The days of a page as YYYY-MM-DD, "" when unknown."""

    published: str = ""
    modified: str = ""


# Dates as written. The check that no digit precedes the year comes after its century: `re` finds a pattern sooner that begins with one of
# few characters.
_FIRST_OF_MONTH = r"{year}\W?{month}\W?01|(?<!\d)0?1(?:st|er|\.)?\W[^<>]{{0,12}}{year}"
_YEAR = r"((?:19|20)(?<!\d\d\d)\d\d)"
_WRITTEN_YEAR = re.compile(_YEAR)
_YEAR_FIRST = re.compile(_YEAR + r"\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)")
_DIGITS = re.compile(_YEAR + r"(\d\d)(\d\d)(?!\d{1,5}(?:\D|$))")
_YEAR_LAST = re.compile(r"(?<![\d.,/-])([0-3]?\d)\s?([./-])\s?([0-3]?\d)\s?\2\s?((?:19|20)\d\d)$")
_MONTH = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
_NAMED = lazy_pattern(
    rf"(?:(?<!\d)([0-3]?\d)(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de |of )?({_MONTH})\b[.,]?|\b({_MONTH})\b\.?\s([0-3]?\d)(?:st|nd|rd|th)?,?)"
    r"[\s-]+(?:de |del )?((?:19|20)\d\d)$",
    re.IGNORECASE,
)
NAMED_CHARACTERS = 40  # of day and month before their year
DIGITS_CHARACTERS = 10  # the same where the month is a number
_BEFORE_YEAR = re.compile(r"[\s./-]")
_HAN_ONES = "零一二三四五六七八九"
_HAN_DAY = re.compile(rf"([〇○{_HAN_ONES}]{{4}})年([十{_HAN_ONES}]{{1,3}})月([十{_HAN_ONES}]{{1,3}})[日号號]")
_HAN_DIGITS = str.maketrans("〇○" + _HAN_ONES, "000123456789")
_REPUBLIC = re.compile(r"民[国國]\s?(\d{2,3})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)")
REPUBLIC_BEFORE = 1911  # the year before the first of the Republic of China
_AGO = re.compile(
    r"(?:^|(?<=[|\s:：于於]))(?:(\d{1,3})\s?(?:(秒|分钟|分鐘|小时|小時|天|周|週|second|minute|hour|day|week)s?(?:[之以]?前| ago))"
    r"|(刚刚|剛剛|今天|昨天|前天|昨日|今日|前日|(?:today|yesterday)\b))(?=$|[\s|,，·•(（]|\d)",
    re.IGNORECASE,
)
_DAYS_OF = {"天": 1, "day": 1, "周": 7, "週": 7, "week": 7}  # of other units less than a day
_DAYS_AGO = {"昨天": 1, "昨日": 1, "yesterday": 1, "前天": 2, "前日": 2}
_UNIX = re.compile(r"\s*(1?\d{9})(?:\d{3})?(?:\.\d+)?\s*$")
_PATH_DAY = re.compile(_YEAR + r"([-_/]?)([01]\d)[-_/]?([0-3]\d)(?!\d)")
_PATH_PARTS = re.compile(rf"/{_YEAR}/([01]?\d|[a-z]{{3,9}})/([0-3]?\d)(?=[/._-]|$)", re.IGNORECASE)
_PATH_MOMENT = re.compile(_YEAR + r"([01]\d)([0-3]\d)(?:[0-2]\d[0-5]\d(?:[0-5]\d(?:\d{3})?)?)(?!\d)")
_FULL_WIDTH = tuple(zip("０１２３４５６７８９：／－．\u3000", "0123456789:/-. ", strict=True))

# A variable or key of a script, as WeChat and many Chinese portals have it: its value, and before it its name.
_SCRIPT = re.compile(r"<(?:script|SCRIPT)\b[^<>]*>(?!</)")
_SCRIPT_VALUE = re.compile(
    r"[12](?<=[\"':=\s].)(?:\d{9}|(?:(?<=1)9|(?<=2)0)\d\d[-/.年]\d)[^\"',;<]{0,30}"  # the first digit first: found fastest
)
_SCRIPT_NAME = lazy_pattern(
    r"(?<![\w.])(?:ct|(?:publish|pub|article|news)_?(?:time|date|at))[\"']?\s?[:=]\s?[\"']?$", re.IGNORECASE
)
NAME_CHARACTERS = 24

_WORDS = _MARKUP["date_words"]
# Words before a date, in alphabets and in Chinese, Japanese and Korean: these are found fast, because they begin with few characters.
_MARKED = lazy_pattern(
    rf"(?:({_WORDS['modified']})|{_WORDS['published']})[^\d|]{{0,14}}\|?[^\d|]{{0,6}}$", re.IGNORECASE
)
_MARKED_HAN = re.compile(
    rf"(?:({_WORDS['modified_han']})|{_WORDS['published_han']})(?:于|於|在|日期?|时间|時間|일)?[\s|:(（]*$"
)
_TO_DATE = r"(?:[^\d|]{0,12}|\s?(?:时间|時間|日期|date|[:：])+\|)$"
_OTHER = lazy_pattern(rf"(?:{_WORDS['other']}){_TO_DATE}", re.IGNORECASE)
_OTHER_HAN = re.compile(rf"(?:{_WORDS['other_han']}){_TO_DATE}")
_LETTER = re.compile(r"[A-Za-zА-я]")
_OTHER_BEHIND = re.compile(rf"[^|]{{0,30}}\|?\s?(?:{_WORDS['other_behind']})", re.IGNORECASE)
_MARKED_BEHIND = re.compile(rf"[\s|:\d]{{0,12}}(?:{_WORDS['behind']})", re.IGNORECASE)


def days_of(
    document: Document,
    declared: Declarations,
    title: str,
    url: str,
    today: date | None = None,
    *,
    is_list: bool = False,
) -> Days:
    """The days of a page.

    `title`: its title. `today`: the day it was fetched, by default the current one, UTC. `is_list`: it is no article; htmldate is not
    asked then, because the dates of a list are those of other pages.
    """
    calendar = _Calendar(today or datetime.now(UTC).date())
    text = _half_width(document.text)
    opening = _of_opening(document, text, title, calendar)
    said = map(calendar.declared, _stated(document, declared, MODIFIED))
    modified = next(filter(None, said), "") or opening.updated
    published = _published(document, declared, opening.near, url, calendar)
    if not published:
        marked, others = _anywhere(document, text, calendar)
        published = marked or opening.ago or opening.updated
        if not published and not is_list:
            published = _by_htmldate(document.source, others, calendar)
    return Days(published, modified)


def _published(document: Document, declared: Declarations, near: str, url: str, calendar: _Calendar) -> str:
    """The day that a page declares, its URL has or its opening shows; "" without one. `near`: that of the opening."""
    said = chain(_stated(document, declared, PUBLISHED), _in_scripts(document.source))
    stated = next(filter(None, map(calendar.declared, said)), "")
    shown = _of_url(url, calendar) or near
    if not shown:
        shown = next(filter(None, map(calendar.declared, declared.days_of(UNMARKED))), "")
    if stated and shown and abs(date.fromisoformat(stated) - date.fromisoformat(shown)) > timedelta(days=1):
        return stated
    return shown or stated


def _stated(document: Document, declared: Declarations, kind: str) -> Iterator[str]:
    """The days of a kind, PUBLISHED or MODIFIED, that metas, JSON-LD and marked elements state, as written."""
    metas, keys = _STATED[kind]
    yield from metas_of(document, metas)
    yield from declared.values(*keys)
    yield from declared.days_of(kind)


def _in_scripts(source: str) -> Iterator[str]:
    """The days that variables of scripts state, as written."""
    done = 0
    for script in _SCRIPT.finditer(source):
        if script.start() < done:
            continue  # within a script
        end = source.find("</", script.end())
        done = len(source) if end < 0 else end
        for moment in _SCRIPT_VALUE.finditer(source, script.end(), done):
            if _SCRIPT_NAME.search(source, max(0, moment.start() - NAME_CHARACTERS), moment.start()):
                yield moment[0]


def _by_htmldate(html: str, others: list[str], calendar: _Calendar) -> str:
    """The day that htmldate finds; "" where it finds but a month or a year, which it writes as their first day, or a year of two digits.

    `others`: days in the text that are known to be of something else.
    """
    if not 0 < len(calendar.dates(html[:MOST_SEARCHED])) <= MOST_DATES:
        return ""
    from htmldate import find_date  # here, because it imports much, and few pages need it

    try:
        found = find_date(
            without_other_texts(html[:MOST_SEARCHED]),
            original_date=True,
            max_date=calendar.latest.isoformat(),
        )
    except Exception:  # noqa: BLE001 a hostile page must not end the crawl
        return ""
    if not found or found in others:
        return ""
    year, month, day = found.split("-")
    if year not in html or (
        day == "01" and not re.search(_FIRST_OF_MONTH.format(year=year, month=month), html)
    ):
        return ""
    return calendar.real(year, month, day)


class _Found(NamedTuple):
    """A date in a text."""

    start: int
    end: int
    day: str


class _Calendar:
    """Reads dates of a page. `today`: the day it was fetched."""

    def __init__(self, today: date) -> None:
        self.today = today
        self.latest = today + timedelta(days=1)

    def real(self, year: str | int, month: str | int, day: str | int) -> str:
        """The day, if it exists and can be that of a page; else ""."""
        try:
            found = date(int(year), int(month), int(day))
        except (ValueError, OverflowError):
            return ""
        return found.isoformat() if found.year >= EARLIEST and found <= self.latest else ""

    def declared(self, written: str) -> str:
        """The day that a meta or an attribute gives; a month comes before its day there."""
        written = _half_width(written[:LONGEST_DECLARED])
        if unix := _UNIX.match(written):
            moment = datetime.fromtimestamp(int(unix[1]), UTC)
            return self.real(moment.year, moment.month, moment.day)
        found = min(chain(self.dates(written, month_first=True), self.ago(written)), default=None)
        if found is not None:
            return found.day
        return next((day for each in _DIGITS.finditer(written) if (day := self.real(*each.groups()))), "")

    def dates(
        self, text: str, start: int = 0, end: int | None = None, *, month_first: bool = False
    ) -> list[_Found]:
        """The valid dates in a stretch of text, in order. `month_first`: 3/5/2024 is in March."""
        found: list[_Found] = []

        def add(match: re.Match[str], year: str | int, month: str | int, day: str | int) -> None:
            if real := self.real(year, month, day):
                found.append(_Found(match.start(), match.end(), real))

        end = len(text) if end is None else end
        # Few places have a year, and the whole patterns are slow to search for.
        for year in _WRITTEN_YEAR.finditer(text, start, end):
            at, behind = year.span()
            if each := _YEAR_FIRST.match(text, at, end):
                add(each, each[1], each[2], each[3])
            if at == start or not _BEFORE_YEAR.match(text, at - 1) or text[behind : behind + 1].isdecimal():
                continue
            if each := _YEAR_LAST.search(text, max(start, at - DIGITS_CHARACTERS), behind):
                is_american = int(each[3]) > 12 or (each[2] == "/" and month_first and int(each[1]) <= 12)
                add(each, each[4], *((each[1], each[3]) if is_american else (each[3], each[1])))
            if each := _NAMED.search(text, max(start, at - NAMED_CHARACTERS), behind):
                add(each, each[5], _MONTHS[(each[2] or each[3]).lower()], each[1] or each[4])
        for each in _HAN_DAY.finditer(text, start, end):
            add(each, each[1].translate(_HAN_DIGITS), _han(each[2]), _han(each[3]))
        for each in _REPUBLIC.finditer(text, start, end):
            add(each, int(each[1]) + REPUBLIC_BEFORE, each[2], each[3])
        return sorted(found)

    def ago(self, text: str, start: int = 0, end: int | None = None) -> list[_Found]:
        """The days that are written as seen from today, in order."""
        found = []
        for each in _AGO.finditer(text, start, len(text) if end is None else end):
            number, unit, name = each.groups("")
            back = int(number) * _DAYS_OF.get(unit.lower(), 0) if unit else _DAYS_AGO.get(name.lower(), 0)
            found.append(_Found(each.start(), each.end(), (self.today - timedelta(days=back)).isoformat()))
        return found


def _half_width(text: str) -> str:
    # Each is found faster than `str.translate` passes over the other characters.
    for wide, narrow in _FULL_WIDTH:
        text = text.replace(wide, narrow)
    return text


def _han(number: str) -> int:
    """The value of a Chinese number below 100; 0 where it is none."""
    tens, ten, ones = number.rpartition("十")
    if len(tens) > 1 or len(ones) > 1 or (tens and not ten):
        return 0
    return (10 * (_HAN_ONES.find(tens) if tens else 1) if ten else 0) + (_HAN_ONES.find(ones) if ones else 0)


def _of_url(url: str, calendar: _Calendar) -> str:
    path = unquote(
        "/" + url[:LONGEST_URL].partition("://")[2].partition("/")[2].partition("?")[0], errors="replace"
    )
    found = chain(
        (each.group(1, 2, 3) for each in _PATH_MOMENT.finditer(path)),
        (each.group(1, 3, 4) for each in _PATH_DAY.finditer(path)),
        ((each[1], _MONTHS.get(each[2].lower(), each[2]), each[3]) for each in _PATH_PARTS.finditer(path)),
    )
    return next(filter(None, (calendar.real(*each) for each in found)), "")


class _Opening(NamedTuple):
    """The days that the opening of a page gives, each "" when there is none."""

    near: str  # marked as that of publication, or not marked
    updated: str  # marked as that of a change
    ago: str  # as seen from today


def _of_opening(document: Document, text: str, title: str, calendar: _Calendar) -> _Opening:
    """The days around the title. `text`: that of the document, in half-width characters."""
    place = _title_place(document, title)
    start, begin, end = (0, 0, 0) if place is None else (max(0, place[0] - BEFORE_TITLE), *place)
    end_of_opening = end + OPENING_CHARACTERS
    found: dict[str, str] = {}  # by mark, and of dates without one by their place
    for one in calendar.dates(text, start, end_of_opening + LONGEST_DATE):
        mark = _mark(text, one) if one.start < end_of_opening else OTHER
        if mark in ("", OTHER) or _is_in_comment(document, one.start):
            continue
        if mark == UNMARKED and one.end <= begin:
            found["above"] = one.day  # the nearest to the title
        else:
            found.setdefault("below" if mark == UNMARKED and place and one.start >= end else mark, one.day)
    relative = (
        one.day for one in calendar.ago(text, start, end_of_opening) if _mark(text, one) not in ("", OTHER)
    )
    near = next((found[kind] for kind in (PUBLISHED, "below", "above") if kind in found), "")
    return _Opening(near, found.get(MODIFIED, ""), next(relative, ""))


def _anywhere(document: Document, text: str, calendar: _Calendar) -> tuple[str, list[str]]:
    """The first day in a text that is marked as that of publication, and the days of something else before it."""
    others = []
    for one in calendar.dates(text):
        mark = _mark(text, one)
        if mark == OTHER:
            others.append(one.day)
        elif mark == PUBLISHED and not _is_in_comment(document, one.start):
            return one.day, others
    return "", others


def _mark(text: str, one: _Found) -> str:
    """What the words around a date make of it: PUBLISHED, MODIFIED, OTHER, UNMARKED; "" for one in running text."""
    before = text[max(0, one.start - MARK_CHARACTERS) : one.start]
    has_letters = _LETTER.search(before) is not None
    if (
        _OTHER_HAN.search(before)
        or _OTHER_BEHIND.match(text, one.end)
        or (has_letters and _OTHER.search(before))
    ):
        return OTHER
    if found := _MARKED_HAN.search(before) or (_MARKED.search(before) if has_letters else None):
        return MODIFIED if found[1] else PUBLISHED
    if _MARKED_BEHIND.match(text, one.end):
        return PUBLISHED
    left = one.start - 1 - text.rfind(BOUNDARY, max(0, one.start - SHORT_LINE), one.start)
    right = text.find(BOUNDARY, one.end, one.end + SHORT_LINE) - one.end
    return UNMARKED if right >= 0 and left + right < SHORT_LINE else ""


def _title_place(document: Document, title: str) -> tuple[int, int] | None:
    """Start and end of the title in the text: of the heading most like it, else of a block that is the title, else of the first main
    heading."""
    key = "".join(title.split()).lower()
    alike: list[tuple[int, int, int]] = []
    for mark in document.heading_marks:
        own = "".join(mark.text.split()).lower()
        shorter, longer = sorted((own, key), key=len)
        if own and shorter in longer and 2 * len(shorter) >= len(longer):
            alike.append((len(longer) - len(shorter), mark.start, mark.start + len(mark.text)))
    if alike:
        return min(alike)[1:]
    if len(title) >= SHORTEST_TITLE and (at := document.text.find(f"{BOUNDARY}{title}{BOUNDARY}")) >= 0:
        return at + 1, at + 1 + len(title)
    main = next((mark for mark in document.heading_marks if mark.level <= 2), None)
    return None if main is None else (main.start, main.start + len(main.text))


def _is_in_comment(document: Document, place: int) -> bool:
    """Whether a place in the text is in a comment."""
    at = bisect_right(document.runs, place, key=itemgetter(0)) - 1
    above = document.with_ancestors(document.runs[at][2]) if at >= 0 else ()
    return any(COMMENT_NAME.search(document.node_names.get(node, "")) for node in above)
