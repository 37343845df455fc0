"""A thesaurus from a WordNet: WN-LMF (XML), or the tab files of the Open Multilingual Wordnet.

Idea: words of one synset are synonyms; the fewer steps up and down the hypernyms lie between two synsets, the nearer they are.
Formula: sim = max(0, 1 - 0.2 * steps): 1 for one synset, 0.8 for a synset and its hypernym, 0.6 for two of one hypernym …
    Of a word's several synsets the nearest pair counts.
Cost: a file of 120 000 words is read once, in about ten seconds and 100 MB; a pair costs some microseconds, remembered by the caller.
But: a tab file has no hypernyms (they are those of the English WordNet it was made beside): its words are synonyms or nothing.
Reference: Bond & Foster, ACL 2013 (OMW); https://globalwordnet.github.io/schemas/ (WN-LMF).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from lxml import etree

from topiccrawler.text.normalise import fold
from topiccrawler.text.stems import stem
from topiccrawler.text.thesaurus import Thesaurus

STEP = 0.2
MOST_STEPS = 4
UP = frozenset({"hypernym", "instance_hypernym"})


class WordNetThesaurus(Thesaurus):
    """Synsets by word, hypernyms by synset."""

    def __init__(self, synsets: Mapping[str, Iterable[str]], hypernyms: Mapping[str, Iterable[str]]) -> None:
        self._synsets = {word: tuple(dict.fromkeys(found)) for word, found in synsets.items()}
        self._hypernyms = {synset: tuple(above) for synset, above in hypernyms.items()}

    def __len__(self) -> int:
        return len(self._synsets)

    def similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        ours, theirs = self._above(first), self._above(second)
        shared = ours.keys() & theirs.keys()
        steps = min((ours[synset] + theirs[synset] for synset in shared), default=MOST_STEPS + 1)
        return 1.0 - STEP * steps if steps <= MOST_STEPS else 0.0

    def _above(self, word: str) -> dict[str, int]:
        """The word's synsets and those above them, with the steps up to each."""
        found = dict.fromkeys(self._synsets.get(word, ()), 0)
        level = list(found)
        for steps in range(1, MOST_STEPS + 1):
            level = [above for synset in level for above in self._hypernyms.get(synset, ())]
            for synset in level:
                found.setdefault(synset, steps)
        return found


def read_tab(lines: Iterable[str]) -> WordNetThesaurus:
    """From lines `SYNSET TAB LANGUAGE:lemma TAB WORD`; others are passed over."""
    synsets: dict[str, list[str]] = {}
    for line in lines:
        synset, kind, *rest = line.rstrip("\n").split("\t")[:3] if line.count("\t") >= 2 else ("", "")
        if rest and kind.split(":")[-1] == "lemma":
            _note(synsets, rest[0], synset)
    return WordNetThesaurus(synsets, {})


def read_lmf(path: Path) -> WordNetThesaurus:
    """From a WN-LMF file. lxml.etree.XMLSyntaxError when it is no XML."""
    synsets: dict[str, list[str]] = {}
    hypernyms: dict[str, list[str]] = {}
    wanted = ("LexicalEntry", "Synset")
    for _, element in etree.iterparse(str(path), tag=wanted, resolve_entities=False, no_network=True):
        if element.tag == "Synset":
            up = [one.get("target", "") for one in element.iter("SynsetRelation") if one.get("relType") in UP]
            if up:
                hypernyms[element.get("id", "")] = up
        elif (lemma := element.find("Lemma")) is not None:
            for sense in element.iter("Sense"):
                _note(synsets, lemma.get("writtenForm", ""), sense.get("synset", ""))
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return WordNetThesaurus(synsets, hypernyms)


def _note(synsets: dict[str, list[str]], written: str, synset: str) -> None:
    """A lemma as the tokenizer would give it: folded, stemmed, blanks and the marks between its parts taken out where it is Chinese."""
    folded = fold(written).replace("+", "").replace("_", " ")
    word = " ".join(map(stem, folded.split())) if folded.isascii() else "".join(folded.split())
    if word and synset:
        synsets.setdefault(word, []).append(synset)
