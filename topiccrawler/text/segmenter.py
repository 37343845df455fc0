"""Cuts texts into words: folds spelling, runs a dictionary engine on Han characters, stems Latin words, keeps the phrases of a crawl whole.

`fold` brings a text to one spelling for matching, character by character, so that offsets stay valid: anchors and contexts are cut out of
a page by offsets. Ａ股, A股 and a股, 貸款 and 贷款 become one word. Full-width forms become half-width, traditional characters simplified ones,
upper case lower case. Simplified forms come from OpenCC's character table, read once, at the first call (10 ms). A text costs one look-up
of each of its UTF-16 code units in a table.
But: a character with two simplified forms becomes OpenCC's first one; 乾 is not folded, because on a simplified page it is 乾隆 or 乾坤. For
matching only: text that is displayed or stored is never folded.

`cut_all` makes the same tokens with either engine. rjieba runs jieba's algorithm thirteen times as fast, but the two differ at Latin
letters, digits and rare characters, and a model trained with one must score the same with the other. So the engine receives only common
Han characters, on which both agree; everything else is split here, by these rules:

- text is first spelled out (text.folding) and folded (half-width, simplified, lower case);
- a run of letters and digits, with the marks above and below them, is a word; c++, c# and f# keep their sign; runs longer than 40
  characters are dropped;
- a run of katakana is a word, and so is a run of hiragana;
- a word of letters is replaced by its stem (text.stemmer);
- a single Latin letter and the Han character after it are a word: a股, k线, b超;
- a single Han character is dropped, except one that stands alone after two or three letters: ic卡; a segmenter that has it among its
  phrases (猫) keeps it where the engine makes it a word: 养猫, not 熊猫;
- other single characters are dropped, punctuation separates. Stop words stay.

Many texts are segmented in one call, joined by a newline, which both engines keep as a token of its own. The text between runs of Han
characters is first replaced by a mark, so that most lines of the engine's output need no second look.

`Phrases` finds phrases in Japanese, Thai, Lao, Khmer or Burmese, for which there is no dictionary here. A phrase with hiragana (買い物), or
in letters of the other scripts, is also found within a run; a phrase of two hiragana is not found behind another hiragana.

`TwoGenerationCache` keeps results for recent texts in bounded memory. The menus of a site and the titles in its lists return on page after
page, but a crawl meets new texts for days. So there are two generations. When the younger one is full, it becomes the older one. A text of
the older one that is requested again moves to the younger one.

`STOP_WORDS` are function words, and words that the navigation of every site has. Function words and 更多, 首页, 下一页 are the commonest words of
links on topic and off it. A topic built from texts must not choose them, but a classifier may use them. So they are listed here and stay
in the token stream. Compiled by us; only words of two or more characters, as `cut_all` gives.

`Segmenter` cuts by the dictionary and by the phrases of one crawl. A crawl's topic has words that the dictionary lacks and would cut so
that characters of them are lost: of 纯电动 only 电动 would remain. They belong to that crawl: another crawl of the same process must cut its
texts as if it were alone. So each topic has its own segmenter (topics.topic), and the objects that read texts for a topic are constructed
with it. An engine with its dictionary takes 24 MB and .1 s of CPU. So all segmenters whose phrases the dictionary cuts without loss, among
them those of the catalogue's topics, share one engine. Any other makes its own engine when it first cuts a text, and shares it with the
segmenters that have the same words. Texts are split at blanks and at the boundaries of a page's text, which no word crosses, and recent
pieces are not segmented again: a page's main text, its links and their contexts share them, and menus return on every page of a site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import accumulate, chain, compress, groupby
from typing import Generic, TypeVar
from unicodedata import category
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table
from topiccrawler.text import engines
from topiccrawler.text.engines import Cut, chosen_cut
from topiccrawler.text.folding import RADICALS, UNSPACED, UNUSUAL, spelled_out, visible
from topiccrawler.text.stemmer import ENGLISH, stem, with_stems

_HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_AMBIGUOUS = "乾"
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_FULL_WIDTH_SHIFT = 0xFEE0
_CASED = range(0x250 * 10)  # Latin, Greek, Cyrillic, Armenian, Georgian: where letters have case
_UNIT = "<u2"  # UTF-16 code unit; those of surrogate pairs stay as they are
_UNKNOWN = 0xFFFF  # no character


def fold(text: str) -> str:
    """Return `text` in the spelling used for matching. Its length and all positions stay the same."""
    if text.isascii():
        return text.lower()
    units = np.frombuffer(text.encode("utf-16-le", "replace"), _UNIT)  # half a surrogate pair becomes "?"
    return _folding().take(units).tobytes().decode("utf-16-le")


def spelled_and_folded(text: str) -> str:
    """`fold(spelled_out(text))`, at the cost of folding where no character is unusual."""
    if text.isascii():
        return fold(spelled_out(text))
    units = np.frombuffer(text.encode("utf-16-le", "replace"), _UNIT)
    found = _usual_folding().take(units)
    return fold(spelled_out(text)) if (found == _UNKNOWN).any() else found.tobytes().decode("utf-16-le")


@cache
def _usual_folding() -> NDArray[np.uint16]:
    """As `_folding`, with _UNKNOWN for what `spelled_out` may change."""
    table = _folding().copy()
    table[UNUSUAL.units] = _UNKNOWN
    return table


def folded(texts: Sequence[str]) -> list[str]:
    """Fold each of the texts, in one pass."""
    whole = fold("".join(texts))
    ends = list(accumulate(map(len, texts)))
    return [whole[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@cache
def _folding() -> NDArray[np.uint16]:
    """The folded form of each UTF-16 code unit: 65 536 code units."""
    from opencc import OpenCC  # a C++ library, imported only when a text is folded

    table = np.arange(0x10000, dtype=_UNIT)
    characters = [chr(code) for first, end in _HAN_BLOCKS for code in range(first, end)]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    simplified = zip(characters, converted, strict=True)
    changes = {ord(old): ord(new) for old, new in simplified if old != new and len(new) == 1}
    del changes[ord(_AMBIGUOUS)]
    changes |= {code: changes.get(ord(whole), ord(whole)) for code, whole in RADICALS.items()}
    lower = ((code, chr(code).lower()) for code in _CASED)
    changes |= {code: ord(small) for code, small in lower if len(small) == 1}
    changes |= {code: ord(chr(code - _FULL_WIDTH_SHIFT).lower()) for code in _FULL_WIDTH}
    changes[0x3000] = ord(" ")
    for code, meant in changes.items():
        if meant < len(table):  # a simplified form beyond the first plane is as rare as its traditional form
            table[code] = meant
    return table


Found = TypeVar("Found")


class TwoGenerationCache(Generic[Found]):
    """A cache text -> result of `work`. A generation is full when its texts have `characters` characters; one call may exceed that."""

    def __init__(self, work: Callable[[list[str]], Iterable[Found]], characters: int) -> None:
        self._work, self._room = work, characters
        self._young: dict[str, Found] = {}
        self._old: dict[str, Found] = {}
        self._characters = 0  # of the texts in the younger generation

    def of(self, texts: Iterable[str]) -> dict[str, Found]:
        """Return a dictionary with the results of all these texts (and others). The new texts go to `work` in one call."""
        if self._characters > self._room:
            self._young, self._old, self._characters = {}, self._young, 0
        young, older = self._young, self._old  # another thread may begin a new generation during this call
        missing = set(texts).difference(young)
        if missing:
            self._characters += sum(map(len, missing))
            young.update([(text, older[text]) for text in missing if text in older])
            if new := [*missing.difference(older)]:
                young.update(zip(new, self._work(new), strict=True))
        return young


_LISTS = package_table("text/words.toml")
STOP_WORDS: frozenset[str] = with_stems(f"{_LISTS['function']} {_LISTS['english']} {_LISTS['navigation']}")
GRAMMAR: frozenset[str] = frozenset(  # as they are typed
    " ".join(_LISTS[name] for name in ("function", "particles", "english", "foreign")).split()
)
FUNCTION_WORDS: frozenset[str] = with_stems(f"{_LISTS['english']} {_LISTS['foreign']}")

TOKENIZER = "jieba-0.42-hmm+rule-2"

_LONGEST_RUN = 40
HAN = "一-\u9fd5"  # jieba's own range: beyond it the engines differ
_ALONE = rf"(?<![^\W_{HAN}][a-z])(?<=[a-z])[{HAN}]"  # the 股 of a股
_PLAIN = ",。、!?:;()“”《》| "  # both engines keep each as a token of one character
_OTHER = rf"[^{HAN}{_PLAIN}\n]"
# Not "+": `re` searches in a fifth of the time for a pattern that begins with one character of a set.
_BETWEEN_HAN = re.compile(rf"{_OTHER}{_OTHER}*({_ALONE})?")
HIRAGANA, KATAKANA = "ぁ-ゖゝ-ゟ", "ァ-ヺヽ-ヿㇰ-ㇿ"
HANGUL = "가-힣"
_KANA = "ぁ-ヿㇰ-ㇿ"
_MARKS = [code for code in range(0x300, 0x1800) if category(chr(code)) in {"Mn", "Mc"}]
# by runs: `re` compiles a class of ranges in a tenth of the time
_RUNS = [[code for _, code in run] for _, run in groupby(enumerate(_MARKS), lambda one: one[1] - one[0])]
_POINTS = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in _RUNS) + "\u200c\u200d"
_LETTER = rf"[^\W_{HAN}{_KANA}]"
_SIGNED = r"[a-z](?:\+\+|#)"  # c++
_ASCII_CHUNK = re.compile(rf"{_SIGNED}(?![a-z0-9])|[a-z0-9]+")
_CHUNK = re.compile(
    rf"{_SIGNED}(?![^\W_{HAN}])|{_LETTER}+(?:[{_POINTS}]+{_LETTER}*)*|[{KATAKANA}][{KATAKANA}ー]*|[{HIRAGANA}][{HIRAGANA}ー]*"
)
_PRIVATE = "\ue000-\uf8ff"  # private-use characters, each a sign for a phrase that was found
_PRIVATE_USE = lazy_pattern(f"[{_PRIVATE}]")
_MOST_PHRASES = 0xF900 - 0xE000
_LETTERS = re.compile(r"(?<![^\W_])[a-z]{2,3}$")  # the ic of ic卡

# Marks in place of text without a word, and in place of one word. Both engines keep each as a token of one character.
_NOTHING, _WORD = ",", "\x01"


def is_whole(phrase: str, words: Sequence[str]) -> bool:
    """Whether the `words` that a phrase was cut into have all its Han characters, and as many runs of letters and digits."""
    if "".join(words) == phrase and _HAN_WORD.fullmatch(phrase):  # as most are
        return True
    folded = spelled_and_folded(phrase)
    if sum(map(_is_han, folded)) > sum(map(_is_han, "".join(words))):
        return False
    return len(_CHUNK.findall(folded)) <= sum(not all(map(_is_han, word)) for word in words)


def heads_of(keywords: Iterable[str]) -> set[str]:
    """The prefixes of the keywords, from two characters on. A text with none of them as a word has no keyword that was cut in pieces."""
    return {keyword[:end] for keyword in keywords for end in range(2, len(keyword))}


def joined_again(words: Sequence[str], heads: Container[str], keywords: Container[str]) -> list[str]:
    """The keywords that the segmenter cut in pieces, found by joining adjacent words, the longest at each place. `heads`: of `heads_of`."""
    found = []
    after = len(words)
    for start in compress(range(after - 1), map(heads.__contains__, words)):
        joined = words[start] + words[start + 1]
        if joined not in heads and joined not in keywords:
            continue
        longest, end = "", start + 2
        while joined in heads and end < after:
            if joined in keywords:
                longest = joined
            joined += words[end]
            end += 1
        if joined in keywords:
            longest = joined
        if longest:
            found.append(longest)
    return found


def cut_all(
    texts: Sequence[str],
    cut: Cut,
    language: str = ENGLISH,
    phrases: Phrases | None = None,
    singles: Container[str] = (),
) -> list[list[str]]:
    """The words of each text by the engine `cut`, without a cache. `language`: of Latin words. `phrases`: found within runs too.
    `singles`: single Han characters that are words where they stand alone."""
    foreign = [text for text in texts if not text.isascii()]
    of_the_engine = iter(_cut_together(foreign, cut, language, phrases, singles))
    return [_ascii_words(text, language) if text.isascii() else next(of_the_engine) for text in texts]


def _ascii_words(text: str, language: str) -> list[str]:
    """The words of a text in ASCII only, which needs no engine: dates, numbers, English."""
    seen = text if text.isprintable() else visible(text)
    return _kept(_ASCII_CHUNK.findall(seen.lower()), language)


def _kept(chunks: Iterable[str], language: str) -> list[str]:
    """The stems of those runs of letters and digits that are words by their length."""
    if language == ENGLISH:
        return [stem(chunk) for chunk in chunks if 2 <= len(chunk) <= _LONGEST_RUN]
    return [stem(chunk, language) for chunk in chunks if 2 <= len(chunk) <= _LONGEST_RUN]


class Phrases:
    """Phrases in scripts without blanks between words, which are in no dictionary here."""

    def __init__(self, phrases: Iterable[str]) -> None:
        listed = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))[:_MOST_PHRASES]
        self._signs = {phrase: chr(0xE000 + number) for number, phrase in enumerate(listed)}
        self._of_signs = {sign: phrase for phrase, sign in self._signs.items()}
        beginning: dict[str, list[str]] = {}
        for phrase in listed:
            beginning.setdefault(phrase[0], []).append(self._rest(phrase))
        self.chunk = re.compile(f"[{_PRIVATE}]|{_CHUNK.pattern}")  # or a sign
        # Each branch begins with a character, so `re` skips all other positions and tries only phrases that begin with this one.
        self._pattern = re.compile(
            "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in beginning.items())
        )

    @staticmethod
    def _rest(phrase: str) -> str:
        """The pattern of what follows the first character of a phrase, conditions included.

        Two hiragana may be the end of one word and the beginning of the next: すし in ですし. One or two further katakana are not a word
        of their own: カメラ is found in カメラレンズ, not in カメラマン.
        """
        if re.fullmatch(rf"[{HIRAGANA}]{{2}}", phrase):
            return rf"(?<![{HIRAGANA}].){phrase[1:]}"
        if re.fullmatch(rf"[{KATAKANA}ー]+", phrase):
            return rf"{phrase[1:]}(?=ー?(?:[{KATAKANA}ー]{{3}}|(?![{KATAKANA}ー])))"
        return phrase[1:]

    def with_signs(self, text: str) -> str:
        """The text with a sign in place of each phrase. Private-use characters of the text itself become blanks."""
        return self._pattern.sub(lambda found: self._signs[found[0]], _PRIVATE_USE.sub(" ", text))

    def kept(self, chunks: Iterable[str], language: str) -> list[str]:
        """The words among these runs of letters and digits, and the phrases of the signs among them."""
        return [
            word
            for chunk in chunks
            for word in ([self._of_signs[chunk]] if chunk in self._of_signs else _kept([chunk], language))
        ]


def _cut_together(
    texts: Sequence[str], cut: Cut, language: str, phrases: Phrases | None, singles: Container[str]
) -> list[list[str]]:
    """The words of each text, with one call of the engine for all."""
    if not texts:
        return []
    # words kept from the engine; whether a Han character behind may belong to it
    between: list[tuple[str, bool]] = []

    def mark(found: re.Match[str]) -> str:
        """Replace the text between two runs of Han characters by marks, and keep its words."""
        run = found[0]
        chunks = (_CHUNK if phrases is None else phrases.chunk).findall(run)
        if not chunks:
            return _NOTHING
        if found[1]:
            chunks[-1] += found[1]
        words = _kept(chunks, language) if phrases is None else phrases.kept(chunks, language)
        kept = [(word, False) for word in words]
        if not kept:
            return _NOTHING
        if not found[1] and _LETTERS.search(run):
            kept[-1] = (kept[-1][0], True)
        between.extend(kept)
        return _WORD * len(kept)

    joined = spelled_and_folded(",\n,".join([text.replace("\n", " ") for text in texts]))
    if phrases is not None:
        joined = phrases.with_signs(joined)
    lines = _BETWEEN_HAN.sub(mark, f",{joined},")  # marks around each line: none is empty
    tokens = [*cut(lines), "\n"]
    removed = iter(between)
    found: list[list[str]] = []
    start = 0
    for line in lines.split("\n"):
        end = tokens.index("\n", start)
        run = tokens[start:end]
        found.append(_with_removed(run, removed, singles) if _WORD in line else _words_among(run, singles))
        start = end + 1
    return found


def _with_removed(
    tokens: list[str], removed: Iterator[tuple[str, bool]], singles: Container[str]
) -> list[str]:
    """The words of a line, with the removed ones (`removed`) put back in place of their marks."""
    found: list[str] = []
    start = 0
    for place in [place for place, token in enumerate(tokens) if token == _WORD]:
        found += _words_among(tokens[start:place], singles)
        word, is_prefix = next(removed)
        if is_prefix:
            behind = tokens[place + 1]  # exists, because a line ends with a mark
            if len(behind) == 1 and _is_han(behind) and not _is_han(tokens[place + 2]):
                word += behind
        found.append(word)
        start = place + 1
    return found + _words_among(tokens[start:], singles)


def _words_among(tokens: list[str], singles: Container[str]) -> list[str]:
    if not singles:
        return [token for token in tokens if len(token) > 1]
    return [token for token in tokens if len(token) > 1 or token in singles]


def _is_han(token: str) -> bool:
    return "一" <= token[0] <= "\u9fd5"


_REMEMBERED_CHARACTERS = 60_000  # in each of two generations; some 8 MB with their words
_HAN_WORD, _HAN_CHARACTER = re.compile(f"[{HAN}]{{2,}}"), re.compile(f"[{HAN}]")
_PHRASE = re.compile(f"[{HAN}{_KANA}{UNSPACED}]{{2,}}")
_NO_DICTIONARY = re.compile(f"[{HIRAGANA}{UNSPACED}]|^[{KATAKANA}ー]{{2,}}$")

Pieces = TwoGenerationCache[list[str]]


class Segmenter:
    """Cuts texts into words. Words of its `phrases` that would lose characters stay whole. The dictionary cuts the others: a caller that
    looks for 上市公司 joins 上市 and 公司 again (`joined_again`). `language`: of Latin words (text.stemmer).

    Segmenters that cut all texts alike are equal."""

    def __init__(self, phrases: Iterable[str] = (), language: str = ENGLISH) -> None:
        self._phrases = tuple(phrases)
        self.language = language

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmenter):
            return NotImplemented
        return self.language == other.language and self.own_words == other.own_words

    def __hash__(self) -> int:
        return hash((self.language, self.own_words))

    @cached_property
    def own_words(self) -> frozenset[str]:
        """The words and phrases that stay whole although the dictionary lacks them."""
        return _losing(self._phrases, _dictionary()) if self._phrases else frozenset()

    @property
    def has_own_dictionary(self) -> bool:
        """Whether this segmenter has its own engine, with its own dictionary (24 MB)."""
        return any(map(_HAN_WORD.fullmatch, self.own_words))

    def keeping(self, phrases: Iterable[str]) -> Segmenter:
        """A segmenter that also keeps whole the Han words of these phrases of which this one loses characters; itself if there are none."""
        losing = frozenset(filter(_HAN_WORD.fullmatch, _losing(phrases, self._pieces))) - self.own_words
        return Segmenter(self.own_words | losing, self.language) if losing else self

    def stem(self, word: str) -> str:
        """The stem of a folded word, by the segmenter's language."""
        return stem(word, self.language)

    def words(self, text: str) -> list[str]:
        """The words of one text, in order."""
        return self.words_of([text])[0]

    def words_of(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of each text, with one call of the engine for all new pieces."""
        split = [text.replace("|", " ").split() for text in texts]
        words_of_piece = self.words_of_pieces(chain.from_iterable(split)).__getitem__
        return [list(chain.from_iterable(map(words_of_piece, pieces))) for pieces in split]

    def words_of_pieces(self, pieces: Iterable[str]) -> Mapping[str, list[str]]:
        """A mapping piece -> its words, for pieces without blanks and `|`. The lists are cached: do not change them."""
        return self._pieces.of(pieces)

    @property
    def _pieces(self) -> Pieces:
        return self._own_pieces or _dictionary()

    @cached_property
    def _own_pieces(self) -> Pieces | None:
        if not self.own_words and self.language == ENGLISH:
            return None
        key = self.language, self.own_words
        if (pieces := _shared.get(key)) is None:
            _shared[key] = pieces = _pieces_knowing(self.own_words, self.language)
        return pieces


def _losing(phrases: Iterable[str], pieces: Pieces) -> frozenset[str]:
    """The Han words of the phrases that lose characters when cut, single Han characters among them, and the phrases without a dictionary,
    which only `Phrases` finds."""
    folded = [spelled_and_folded(phrase).strip() for phrase in phrases]
    runs = {run for phrase in folded for run in _PHRASE.findall(phrase)}
    unspaced = {stem(run) for run in runs if _NO_DICTIONARY.search(run)}
    han = {run for phrase in runs if not _NO_DICTIONARY.search(phrase) for run in _HAN_WORD.findall(phrase)}
    words = pieces.of(han)
    losing = {run for run in han if sum(map(len, words[run])) < len(run)}
    return frozenset(unspaced | losing | set(filter(_HAN_CHARACTER.fullmatch, folded)))


def _pieces_knowing(words: Iterable[str], language: str = ENGLISH) -> Pieces:
    han = frozenset(filter(_HAN_WORD.fullmatch, words))
    singles = frozenset(filter(_HAN_CHARACTER.fullmatch, words))
    others = frozenset(words) - han - singles
    cut = chosen_cut(han) if han else _plain_cut()
    phrases = Phrases(others) if others else None
    work = partial(cut_all, cut=cut, language=language, phrases=phrases, singles=singles)
    return TwoGenerationCache(work, _REMEMBERED_CHARACTERS)


# Caches (each with its engine) by language and own words, as long as a segmenter uses them.
_shared = WeakValueDictionary[tuple[str, frozenset[str]], Pieces]()


@cache
def _plain_cut() -> Cut:
    """The engine that has only the general dictionary."""
    return chosen_cut()


@cache
def _dictionary() -> Pieces:
    """The cache of the segmenters that use only the general dictionary, with Latin words stemmed as English."""
    return _pieces_knowing(())


def release_dictionary() -> None:
    """Free the engine that segmenters without their own dictionary share. The next of them that cuts a text makes it again.

    For a crawl whose segmenter has its own dictionary.
    """
    _dictionary.cache_clear()
    _plain_cut.cache_clear()


def choose_engine(choice: str) -> None:
    """Set the engine of this process: `auto`, `rjieba` or `jieba`. Segmenters that have an engine of their own keep it; both give the same
    words. ArgumentError if it is unknown or not installed."""
    if engines.choose(choice):
        release_dictionary()
        _shared.clear()


PLAIN = Segmenter()
"""The segmenter for texts that belong to no topic."""

words, words_of = PLAIN.words, PLAIN.words_of
