"""The thesaurus of a user's file: Cilin format, WN-LMF or OMW tab, told apart by what the file holds."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import read_bytes
from topiccrawler.text.cilin import CodedThesaurus
from topiccrawler.text.decode import decode
from topiccrawler.text.thesaurus import Thesaurus
from topiccrawler.text.wordnet import WordNetThesaurus, read_lmf, read_tab

MOST_BYTES = 64_000_000
REMEDY = "set TOPIC_THESAURUS to a file in Cilin format or of a WordNet (WN-LMF, OMW tab)"


def load_thesaurus(path: Path) -> Thesaurus:
    """The file's, of any Chinese encoding. ArgumentError when it cannot be used."""
    what = f"thesaurus {path}"
    with file_faults(ArgumentError, what, "cannot be read", REMEDY), path.open("rb") as file:
        head = file.read(1_000)
    if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        return _lmf(path, what)
    lines = decode(read_bytes(path, MOST_BYTES, ArgumentError, what, REMEDY))[0].splitlines()
    coded = CodedThesaurus(lines)
    found = coded if len(coded) else read_tab(lines)
    if not len(found):
        remedy = "write lines as: Aa01A01= 股票 个股 证券"
        raise ArgumentError(what, "holds no line in Cilin format, nor of a WordNet", remedy)
    return found


def _lmf(path: Path, what: str) -> WordNetThesaurus:
    try:
        found = read_lmf(path)
    except etree.XMLSyntaxError as fault:
        raise ArgumentError(what, f"is damaged: {fault}", REMEDY) from None
    if not len(found):
        raise ArgumentError(what, "holds no LexicalEntry with a Sense", REMEDY)
    return found
