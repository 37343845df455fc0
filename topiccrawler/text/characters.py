"""Decodes bytes whose declared encoding may be wrong, and counts the characters of a text by script.

`decode` chooses the encoding. Servers and `<meta>` often name the wrong one, and nearly every UTF-8 or Big5 text is valid GB18030 too, but
nonsense. So three things count: the declaration, validity, and how common the resulting characters are in Chinese.
Idea       byte order mark; UTF-8, with at most MOST_ERRORS of its non-ASCII characters bad; else the candidate reading with the best score.
           Without a declaration that the bytes bear out, the proposal of a detector (uchardet, Mozilla's) is a candidate too.
Formula    score = common - 2·errors + bonus, where common = share of some 430 most usual Chinese characters
           (both scripts) among non-ASCII characters, for Korean encodings of 60 usual syllables, for Japanese ones of kana,
           errors = share of U+FFFD and control characters among them, bonus = 0.15 (declared by HTTP, or detected), 0.10 (by the page). GB18030
           gets 0.02 at least, windows-1252 (which reads anything) -0.1. Running Chinese text has common >= .35, a misreading
           <= .05; the bonus decides only where text is scarce, and between encodings of other languages.
Declared   in the page: as browsers find it, not in comments, scripts or values of attributes, but also behind the first 1 024 bytes, up
           to LATEST_META; all labels of the Encoding Standard; the first name that is one.
Parameters SAMPLE_CHARACTERS 4000 non-ASCII characters are scored; the weights by trial on short texts in every wrong
           declaration (tests/text/test_decode.py). The detector sees DETECTOR_BYTES; with fewer than ENOUGH_DETECTED bytes beyond ASCII
           a text that is valid GB18030 stays Chinese, with fewer than FEWEST_DETECTED it is not asked.
Cost       one C decode for UTF-8 (30 µs for 90 kB); about 1 ms for 90 kB of GBK; a detector's proposal 1 ms more.
But        GB2312 and GBK are read as GB18030, Big5 as Big5-HKSCS (supersets, as browsers do); UTF-8
           beats any declaration, except below FEW_CHARACTERS; in text that is not valid in any encoding, only the bad
           bytes are replaced.
Reference  WHATWG Encoding Standard (labels, supersets, 0x80 in GBK is the euro sign); HTML Standard, "prescan a byte stream to determine
           its encoding".

`script_counts` makes one comparison of all characters for each range: 15 µs for the Han characters of 13 000.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter

import cchardet
import numpy as np
import webencodings

from topiccrawler.patterns import lazy_pattern

SAMPLE_CHARACTERS = 4000
PRESCAN_BYTES, LATEST_META = 1024, 200_000
DETECTOR_BYTES, FEWEST_DETECTED, ENOUGH_DETECTED = 50_000, 10, 100
HTTP_BONUS, META_BONUS, DETECTED_BONUS = 0.15, 0.10, 0.15
FEW_CHARACTERS = 10
MOST_ERRORS, MOST_ERRORS_AROUND, ENOUGH_BYTES = 0.02, 0.5, 100
REPLACEMENT = "�"
_ONE_BYTE = "topiccrawler.one-byte"

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (b"\x84\x31\x95\x33", "gb18030"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SUPERSETS = {  # of codecs that a label of Python's names; those of the Encoding Standard name the larger ones
    "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "cp950": "big5hkscs", "shift_jis": "cp932", "euc_kr": "cp949",
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
}  # fmt: skip
_LABELS = {"utf8mb4": "utf-8", "x-user-defined": "cp1252"}
_NO_CODEC = frozenset({"replacement", "x-user-defined"})  # the first: hz, iso-2022-kr, which Python has
_STATEFUL = frozenset({"hz", "iso2022_jp", "iso2022_kr"})  # in ASCII bytes
_MULTIBYTE = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "hz", "iso2022_jp"})
# Not web encodings, or ways to hide markup. UTF-16 is recognised by its bytes (a page that declares it in ASCII is wrong).
_NEVER = frozenset(
    ["utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"]
)
# Markup in lower case.
_XML = lazy_pattern(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_MARKUP = lazy_pattern(rb"<(?:(?P<comment>!--)|(?P<name>[a-z][^\s/>]*+)|/[a-z])")
_REST_OF_TAG = lazy_pattern(rb"""(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+)*+""")
_ATTRIBUTE = lazy_pattern(
    rb"""[\s/]*+([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|((?!["'])[^\s>]*+)))?"""
)
_CONTENT_CHARSET = lazy_pattern(rb"""charset\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|((?!["'])[^\s;]++))""")
_RAW_TEXT = frozenset({b"script", b"style", b"title", b"textarea"})
_BEYOND_ASCII, _HIGH_BYTES = re.compile(rb"[\x80-\xff]"), bytes(range(128, 256))
_LATIN = re.compile(rb"(?<=[A-Za-z])[\x80-\xff](?=[A-Za-z<])")  # in Chinese text such bytes stand in rows
_FOREIGN, _CONTROLS = re.compile(r"[^\x00-\x7f]+"), re.compile(r"[\x80-\x9f]")

# The most usual characters of running Chinese, simplified and traditional forms side by side.
_COMMON = frozenset(
    "的一是不了在有人我他这個个上们們来來到时時大地为為子中你说說生国國年着就那和要她出也得里後后自以会會家可下而过過天去能对對小多然于於心学學么之都好看起发發当當没沒成只如"
    "事把还還用第样樣道想作种種开開美总總从從无無情己面最女但现現前些所同日手又行意动動方期它头頭经經长長儿兒回位分爱愛老因很给給名法间間斯知世什两兩次使身者被高已亲親其进進此"
    "话話常与與活正感见見明问問力理尔尔点點文几幾定本公特做外孩相西果走将將月十实實向声聲车車全信重三机機工物气氣每并並别別真打太新比才便夫再书書部水像眼等体體却加电電主界门門"
    "利海受听聽表德少克代员員许許先口由死安写寫性马馬光白或住难難望教命花结結乐樂色更拉东東神记記处處让讓母父应應直字场場平报報友关關放至张張认認接告入笑内內英军軍候民岁歲往何"
    "度山觉覺路带帶万萬男边邊风風解叫任金快原吃妈媽变變通师師立象数數四失满滿战戰远遠格士音轻輕目条條呢产產业業市场新闻聞网網站页頁首股投资資讯訊财財商城服务務客户戶联聯系"
    "，。、：；！？（）《》“”"
)
_USUAL: Mapping[str, frozenset[str]] = {  # usual characters, by charset of another language than Chinese
    "cp949": frozenset(
        "이다는에의을를로하고가도지사은한기서스어리인자대정시나라부그아해일수만있보제들으전동원상과년여주것면소장게조니요까안오"
    ),
    **dict.fromkeys(
        ("cp932", "euc_jp", "iso2022_jp"),
        frozenset(map(chr, chain(range(0x3041, 0x3097), range(0x30A1, 0x30FD)))),
    ),
}


def _bad_byte(error: UnicodeError) -> tuple[str, int]:
    """Windows writes the euro sign as a lone 0x80 in GBK; every other bad byte becomes U+FFFD, one at a time."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return ("€" if error.object[error.start] == 0x80 else REPLACEMENT), error.start + 1


codecs.register_error(_ONE_BYTE, _bad_byte)


def decode(body: bytes, declared: str | None = None) -> tuple[str, str]:
    """The text of `body`, and the name of the encoding it was decoded with. Never raises.

    `declared`: the charset of the HTTP header.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name
    wide = _wide(body, declared)
    if wide:
        return body.decode(wide, "replace"), wide
    if body.isascii():
        return _ascii(body, declared)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        nearly = _nearly_utf8(body, error.start)
        return (
            (nearly, "utf-8")
            if nearly is not None
            else _best(body, _codec((declared or "").strip("\"' ")), _declared_inside(body))
        )
    if len(body) - len(text) < 3 * FEW_CHARACTERS and _is_by_chance(text):
        http, meta = _codec((declared or "").strip("\"' ")), _declared_inside(body)
        if (http or meta) in _MULTIBYTE:
            return _best(body, http, meta)
    return text, "utf-8"


def _ascii(body: bytes, declared: str | None) -> tuple[str, str]:
    names = [_codec((declared or "").strip("\"' "))] if declared else []
    if b"\x1b" in body or b"~{" in body:
        names.append(_declared_inside(body))
    if b"\x1b$" in body and not _STATEFUL.intersection(names):
        names.append(_detected(body))
    name = next((name for name in names if name in _STATEFUL), None)
    return (body.decode(name, "replace"), name) if name else (body.decode("ascii"), "utf-8")


def _nearly_utf8(body: bytes, first_error: int) -> str | None:
    """The text of a body in UTF-8 with a few bad bytes, or cut within a character; None for any other. Other encodings are full of errors."""
    before = first_error - len(body[:first_error].decode("utf-8"))  # bytes that continue a character
    if before < ENOUGH_BYTES:
        around = body[max(0, first_error - 1000) : first_error + 1000].decode("utf-8", "replace")
        if _weigh(around)[1] > MOST_ERRORS_AROUND:
            return None
    text = body.decode("utf-8", "replace")
    return text if _weigh(text)[1] <= MOST_ERRORS else None


def _best(body: bytes, http: str | None, meta: str | None) -> tuple[str, str]:
    bonus = {"gb18030": 0.02, "utf-8": 0.0, "big5hkscs": 0.0, "cp1252": -0.1}
    if meta:
        bonus[meta] = max(bonus.get(meta, 0.0), 0.0) + META_BONUS
    if http:
        bonus[http] = max(bonus.get(http, 0.0), 0.0) + HTTP_BONUS
    best = (float("-inf"), "", "")
    for name in sorted(bonus, key=lambda each: -bonus[each]):
        score, text, is_certain = _scored(body, name, bonus[name])
        if is_certain:
            return text, name
        best = max(best, (score, text, name), key=itemgetter(0))
    if best[2] not in (http, meta) and (detected := _detected(body)) is not None:
        score, text, _ = _scored(body, detected, max(bonus.get(detected, 0.0), 0.0) + DETECTED_BONUS)
        best = max(best, (score, text, detected), key=itemgetter(0))
    return best[1], best[2]


def _scored(body: bytes, name: str, bonus: float) -> tuple[float, str, bool]:
    """The score of reading a body with a codec, the text, and whether nothing else can be meant."""
    text = body.decode(name, _ONE_BYTE if name == "gb18030" else "replace")
    common, errors = _weigh(text, _USUAL.get(name, _COMMON))
    return common - 2 * errors + bonus, text, name in _MULTIBYTE and errors == 0 and common >= 0.25


def _detected(body: bytes) -> str | None:
    """The codec that the detector proposes; None where there is too little to go by, or where a short text may be Chinese."""
    first = _BEYOND_ASCII.search(body)
    start = max(0, first.start() - 200) if first is not None else 0
    sample = body[start : start + DETECTOR_BYTES]
    foreign = len(sample) - len(sample.translate(None, _HIGH_BYTES))
    is_short = 0 < foreign < ENOUGH_DETECTED
    if is_short:
        if is_latin := 2 * len(_LATIN.findall(sample)) >= foreign:
            is_short = False
        if foreign < FEWEST_DETECTED:
            return "cp1252" if is_latin else None
    name = _codec(cchardet.detect(sample)["encoding"])
    return None if is_short and name not in _MULTIBYTE and _is_gb18030(sample) else name


def _is_gb18030(body: bytes) -> bool:
    try:
        body.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return True


def _weigh(text: str, usual: Container[str] = _COMMON) -> tuple[float, float]:
    """The shares of usual characters, and of replacement and control characters, among the non-ASCII ones."""
    foreign = "".join(_FOREIGN.findall(text))
    if not foreign:
        return 0.0, 0.0
    sample = foreign[:SAMPLE_CHARACTERS]
    common = sum(map(usual.__contains__, sample)) / len(sample)
    return common, (foreign.count(REPLACEMENT) + len(_CONTROLS.findall(foreign))) / len(foreign)


def _is_by_chance(text: str) -> bool:
    """Whether a text may be valid UTF-8 by chance. A word or two of GBK can be (联通), a sentence cannot."""
    return len("".join(_FOREIGN.findall(text))) < FEW_CHARACTERS and _weigh(text)[0] < 0.1


def _wide(body: bytes, declared: str | None) -> str | None:
    """The byte order of UTF-16 without a byte order mark, or None. More than a quarter of the bytes are zeros (beside the ASCII of markup),
    or the server declares UTF-16."""
    head = body[:400]
    is_declared = (declared or "").strip().lower().startswith("utf-16")
    if not is_declared and head.count(0) * 4 <= len(head):
        return None
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        if "<".encode(name) in head:
            text = head.decode(name, "replace")
            if "<" in text and "\0" not in text:
                return name
    return None


def _declared_inside(body: bytes) -> str | None:
    """The codec that a page or feed names itself: the first label that is one."""
    return next((name for label in _labels(body) if (name := _codec(label.decode("ascii", "replace")))), None)


def _labels(body: bytes) -> Iterator[bytes]:
    """The charsets that a page declares, in the order in which browsers heed them."""
    head = body[:LATEST_META].lower()
    yield from _metas(head[:PRESCAN_BYTES], is_parsed=False)
    if (xml := _XML.match(head)) is not None:
        yield xml[1]
    yield from _metas(head, is_parsed=True)


def _metas(head: bytes, *, is_parsed: bool) -> Iterator[bytes]:
    """The charsets of the metas of lower-case markup, in order. Linear in its length.

    `is_parsed`: texts of scripts, styles and titles are no markup, as for the parser of a browser; its prescan does not know them.
    """
    at, charset = 0, head.find(b"charset")
    while charset >= 0 and (markup := _MARKUP.search(head, at)) is not None:
        at, name = markup.end(), markup["name"]
        if name == b"meta":
            label, at = _meta(head, at)
            if label:
                yield label
        elif name is not None:
            at = _REST_OF_TAG.match(head, at).end()  # type: ignore[union-attr] # it may be empty
        if markup["comment"] is not None or (is_parsed and name in _RAW_TEXT):
            end = head.find(b"-->", at - 2) if name is None else head.find(b"</" + name, at)
            if end < 0:
                return
            at = end
        if charset < at:
            charset = head.find(b"charset", at)


def _meta(head: bytes, at: int) -> tuple[bytes, int]:
    """The charset that a meta declares, empty if none; and where its attributes end. `at`: where they begin."""
    attributes: dict[bytes, bytes] = {}
    while (attribute := _ATTRIBUTE.match(head, at)) is not None:
        at = attribute.end()
        attributes.setdefault(attribute[1], attribute[2] or attribute[3] or attribute[4] or b"")
    if b"charset" in attributes:
        return attributes[b"charset"], at
    content = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
    if content is None or attributes.get(b"http-equiv") != b"content-type":
        return b"", at
    return content[1] or content[2] or content[3] or b"", at


def _codec(label: str | None) -> str | None:
    """The name of the codec for an encoding label, or of its superset; None for no label or an unknown one."""
    if not label:
        return None
    label = label.strip().lower()
    standard = webencodings.lookup(label)
    if standard is not None and standard.name not in _NO_CODEC:
        label = standard.codec_info.name
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
        "".encode(name)  # LookupError for codecs that are no text encodings ("hex", "rot13")
    except (LookupError, ValueError):
        return None
    name = _SUPERSETS.get(name, name)
    return name if name not in _NEVER and not name.startswith(("utf-16", "utf-32")) else None


RANGES: Mapping[str, tuple[tuple[str, str], ...]] = {  # first and last characters, by script
    "kana": (("ぁ", "ゖ"), ("ァ", "ヺ")),
    "hangul": (("가", "힣"),),
    "han": (("㐀", "䶿"), ("一", "鿿")),
    "cyrillic": (("Ѐ", "ӿ"),),
    "latin": (("A", "Z"), ("a", "z"), ("À", "ɏ")),
}


_BOUNDS = {name: [(ord(first), ord(last)) for first, last in ranges] for name, ranges in RANGES.items()}


def script_counts(text: str, scripts: Iterable[str] = RANGES) -> dict[str, int]:
    """The number of characters of each of these scripts of RANGES. Characters beyond the Basic Multilingual Plane count for none."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    return {
        # Unsigned subtraction: what lies below a range wraps to above it, so one comparison is enough.
        name: sum(int(np.count_nonzero(units - first <= last - first)) for first, last in _BOUNDS[name])
        for name in scripts
    }


def has_han(text: str) -> bool:
    """Whether a text has a Han character. Without `re`, which takes two milliseconds to compile such a range."""
    return not text.isascii() and script_counts(text, ("han",))["han"] > 0
