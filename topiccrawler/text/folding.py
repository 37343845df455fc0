"""Removes characters that are not seen, and spells out those that stand for others, so that equal words are equal texts.

`visible` removes what has no glyph: zero-width spaces of editors (基<U+200B>金), soft hyphens, byte order marks, marks of direction, variation
selectors, tag characters, control characters. What the writing needs stays: zero-width joiners and non-joiners of Arabic, Indic and
Mongolian letters, joiners and selectors of emoji, and the zero-width space of Thai, Lao, Burmese and Khmer, where it ends a word. Texts are
read through it, so titles, anchors, stored texts and exports have none of them.

`spelled_out` is for words, not for display: it also replaces ligatures (ﬁ), half-width kana and hangul, Arabic presentation forms and
styled Latin letters by the usual letters, and composes letters with their marks. Text of PDF files is full of them.

`RADICALS` maps the radicals of U+2E80 to U+2FD5, which PDF files have in place of characters (⾦融), to these characters. One for one, so
that `text.segmenter.fold` can use it.
Reference  Unicode 14: Default_Ignorable_Code_Point; Equivalent_Unified_Ideograph (supplement), NFKC (Kangxi radicals); UTS 51 for emoji.
Cost       a look-up of each character of a long text in a table: 1 ns, a quarter of the time of a compiled set.
"""

from __future__ import annotations

import re
from unicodedata import normalize

import numpy as np

from topiccrawler.patterns import lazy_pattern

UNSPACED = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer

_FILLERS = "\u3164\uffa0"  # Hangul fillers, typed as blanks
_IGNORABLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    f"\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff{_FILLERS}"
)
_JOINING = (
    "\u0600-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
)
_MONGOLIAN = "\u1820-\u18aa"
_EMOJI = "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff"
_NEEDED = "|".join(
    (
        f"(?<=[{_JOINING}])[\u200c\u200d]",
        f"(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}])",
        f"(?<=[{_EMOJI}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)",
        "(?<=\U0001f3f4)[\U000e0020-\U000e007f]+",  # flags of England, Scotland …
        f"(?<=[{UNSPACED}])\u200b|\u200b(?=[{UNSPACED}])",
        f"(?<=[{_MONGOLIAN}])[\u180b-\u180d\u180f]",
    )
)
_EACH = lazy_pattern(f"({_NEEDED})|([{_FILLERS}])|[{_IGNORABLE}]")


LONG_TEXT = 400  # characters; numpy is slower for fewer


_RANGE = re.compile("(.)(?:-(.))?", re.DOTALL)


def _first_unit(character: str) -> int:
    return int.from_bytes(character.encode("utf-16-le")[:2], "little")


class _Rare:
    """A set of rare characters, for a fast test whether a text has any. `listed`: as in brackets of a regular expression."""

    def __init__(self, listed: str) -> None:
        self._pattern = re.compile(f"[{listed}]")
        self.units = np.zeros(0x10000, bool)  # whether each UTF-16 unit is one of them; of a pair, the first
        for first, last in _RANGE.findall(listed):
            self.units[_first_unit(first) : _first_unit(last or first) + 1] = True

    def has_any(self, text: str) -> bool:
        """Whether the text has one of the characters."""
        if len(text) > LONG_TEXT:
            units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
            if not self.units.take(units).any():
                return False
        return self._pattern.search(text) is not None


_HIDDEN = _Rare(_IGNORABLE)


def visible(text: str) -> str:
    """The text without characters that are not seen; blanks and line ends stay."""
    if not _HIDDEN.has_any(text):
        return text
    return _EACH.sub(lambda found: found[1] or (" " if found[2] else ""), text)


# Ligatures, half-width kana and hangul, Arabic presentation forms, styled letters: their NFKC form is what is meant.
_COMPATIBLE = "\u0132\u0133\u01c4-\u01cc\u01f1-\u01f3\ufb00-\ufb17\ufb50-\ufdff\ufe70-\ufefc\uff61-\uff9f\uffa1-\uffdc\U0001d400-\U0001d7ff"
_PARTS = "\u0300-\u036f\u1100-\u11ff\u3099\u309a"  # marks and jamo that follow their letter
_COMPATIBLE_RUN = lazy_pattern(f"[{_COMPATIBLE}]+")
_COMPOSABLE = lazy_pattern(f"[{_PARTS}]")
UNUSUAL = _Rare(f"{_IGNORABLE}{_COMPATIBLE}{_PARTS}")


def spelled_out(text: str) -> str:
    """The visible text with usual letters, each composed with its marks. Its length may change."""
    if not UNUSUAL.has_any(text):
        return text
    text = _COMPATIBLE_RUN.sub(lambda run: normalize("NFKC", run[0]), visible(text))
    return normalize("NFC", text) if _COMPOSABLE.search(text) else text


# Radicals of the supplement, each before its character; those without a character in common use are left out.
_SUPPLEMENT = (
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺒巳⺓幺⺔彑⺕彐⺖忄⺗心⺘扌⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王⺫目⺬示⺭礻⺯糹⺰纟⺱罓"
    "⺲罒⺳㓁⺴冗⺶羊⺹耂⺺肀⺻聿⺼肉⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻈讠⻉贝⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長⻒镸⻓长⻔门⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻟飠⻠饣⻢马⻣骨⻤鬼⻥鱼"
    "⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"
)
RADICALS: dict[int, str] = {
    **{ord(radical): meant for radical, meant in zip(_SUPPLEMENT[::2], _SUPPLEMENT[1::2], strict=True)},
    **{code: normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)},
}
"""Radical -> the character that it is."""
