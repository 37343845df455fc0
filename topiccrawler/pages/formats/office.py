"""Reads what Office files share: the parts of their zip, relations between parts, properties, and text.

Word, PowerPoint and Excel write text in one way: paragraphs (`p`) and rows of tables (`tr`) hold runs of text (`t`), at any depth between
other elements: content controls, tracked insertions, fields, text boxes, groups of shapes, formulas. So the whole tree is walked in the
order of the document, by local names, which are also those of the strict variant of the standard. A walk by the elements that a library
knows loses the text in all others.

Files are read as far as they are whole: of a damaged part what stands before the damage, and nothing of a part that is missing.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from topiccrawler.pages.formats.registry import (
    LONGEST_FIELD,
    XML_PARSER,
    Extract,
    Part,
    UnreadableError,
    main_part,
    tidy,
)

MOST_UNPACKED_BYTES = 100_000_000
MOST_MEMBERS = 5_000
_PIECE_BYTES = 1 << 14  # of a damaged part, one is lost
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Relation(NamedTuple):
    """What a part names by an id: another part, or a URL."""

    kind: str  # the last word of its type: slide, hyperlink, chart …
    part: str  # name of the part; empty for a URL
    url: str


class Package:
    """The parts of an Office file, by name. Names are compared as Windows does; UnreadableError for a file that is damaged or too large."""

    def __init__(self, body: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise UnreadableError(f"damaged ({error})") from error
        members = self._archive.infolist()
        size = sum(member.file_size for member in members)  # a member cannot exceed it: zipfile stops there
        if len(members) > MOST_MEMBERS or size > MOST_UNPACKED_BYTES:
            raise UnreadableError(f"{len(members)} parts, {size:,} bytes unpacked")
        self._members = {_plain(member.filename): member for member in members}
        main = [
            relation.part for relation in self.relations("").values() if relation.kind == "officeDocument"
        ]
        self.main = next(filter(self._members.__contains__, main), main_part(self._members))
        if not self.main:
            raise UnreadableError("damaged (no main part)")

    def bytes_of(self, name: str) -> bytes:
        """The bytes of a part; of a damaged one those before the damage, of a missing one none."""
        read = bytearray()
        faults = (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
        with suppress(*faults), self._archive.open(self._members[name]) as file:
            while piece := file.read(_PIECE_BYTES):
                read += piece
        return bytes(read)

    def root(self, name: str) -> etree._Element | None:
        """The root element of a part; None when it is missing or no XML. Unpacks no entity and reads no other file."""
        try:
            return etree.fromstring(self.bytes_of(name), etree.XMLParser(**XML_PARSER))
        except (etree.XMLSyntaxError, ValueError):
            return None

    def relations(self, name: str) -> dict[str, Relation]:
        """The relations of a part by id; those of the file for ""."""
        folder, _, own = name.rpartition("/")
        root = self.root(posixpath.join(folder, "_rels", f"{own}.rels"))
        found: dict[str, Relation] = {}
        for element in () if root is None else root.iter("{*}Relationship"):
            target = element.get("Target", "")
            is_url = element.get("TargetMode") == "External"
            part = (
                ""
                if is_url
                else _plain(posixpath.normpath(posixpath.join("/", folder, target.replace("\\", "/"))))
            )
            kind = element.get("Type", "").rpartition("/")[2]
            found[element.get("Id", "")] = Relation(kind, part, target if is_url else "")
        return found

    def parts_of_kind(self, name: str, *kinds: str) -> list[str]:
        """The names of the parts of these kinds to which a part has relations, in the order of the kinds, then of the part's names."""
        found = {
            (kinds.index(each.kind), _natural(each.part)): each.part
            for each in self.relations(name).values()
            if each.kind in kinds
        }
        return [found[key] for key in sorted(found)]

    def listed(self, element: str, kind: str) -> list[str]:
        """The names of the parts that such elements of the main part list, in order; all parts of this kind when it is damaged."""
        root, relations = self.root(self.main), self.relations(self.main)
        found = [
            relations.get(attribute(each, "id"))
            for each in (() if root is None else root.iter(f"{{*}}{element}"))
        ]
        return [each.part for each in found if each is not None] or self.parts_of_kind(self.main, kind)

    def described(self, parts: list[Part], title: str | None = None) -> Extract:
        """An extract of these parts with the properties of the file: title, author …; UnreadableError when nothing could be read.

        `title`: for a file without one; by default its first text.
        """
        if not parts and self.root(self.main) is None:
            raise UnreadableError(f"damaged ({self.main} is no XML)")
        if title is None:
            title = next((text for text, _ in parts if text), "")[:100]
        name = next(
            (each.part for each in self.relations("").values() if each.kind == "core-properties"),
            "docprops/core.xml",
        )
        root = self.root(name)
        about = {} if root is None else {name_of(child): tidy(child.text) for child in reversed(root)}
        # a template is created years before the files made from it
        saved = about.get("modified") or about.get("created") or ""
        return Extract(
            title=about.get("title", "")[:LONGEST_FIELD] or title,
            parts=parts,
            keywords=about.get("keywords", "")[:LONGEST_FIELD],
            description=about.get("subject", "")[:LONGEST_FIELD],
            author=about.get("creator", "")[:LONGEST_FIELD],
            published=saved[:10] if _DAY.match(saved) else "",
        )


def _plain(name: str) -> str:
    """The name of a part as it is compared."""
    return name.replace("\\", "/").strip("/").lower()


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key by which slide2 comes before slide10."""
    return tuple((int(number or 0), word) for word, number in re.findall(r"(\D+)(\d{0,9})", name))


def name_of(element: etree._Element) -> str:
    """The name of an element without its namespace; "" for an entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def text_of(element: etree._Element) -> str:
    """All text inside an element, without entities."""
    pieces = [element.text or ""]
    for child in element:
        pieces += [text_of(child) if name_of(child) else "", child.tail or ""]
    return "".join(pieces)


def attribute(element: etree._Element, name: str) -> str:
    """The value of an attribute, whatever its namespace; "" without it. One in a namespace goes first: r:id before id."""
    found = [value for key, value in element.attrib.items() if key.rpartition("}")[2] == name]
    return next(
        (value for key, value in element.attrib.items() if key.endswith("}" + name)),
        found[0] if found else "",
    )


_APART = frozenset({"p", "tr"})  # each is a line
_HOLDERS = frozenset({"tbl", "txbxContent"})  # their lines follow that in which they are
_SIGNS = MappingProxyType({**dict.fromkeys(("tab", "ptab", "br", "cr"), " "), "noBreakHyphen": "-"})
# tracked deletions, readings above characters, properties
_LEFT_OUT = frozenset({"del", "moveFrom", "delText", "rt", "rPh", "pPr", "sectPr", "tblPr", "tcPr", "sdtPr"})
_FIELD_LINK = re.compile(r'\s*HYPERLINK\s+"([^"]{1,2000})"', re.IGNORECASE)


class Walk:
    """Reads the text of parts in the order of the document. Each part is read once, so parts that name each other end.

    Charts, diagrams and notes are read where the text names them.
    """

    def __init__(self, package: Package) -> None:
        self.package = package
        self._relations: dict[str, Relation] = {}
        self._read = set[str]()
        self._notes: dict[tuple[str, str], etree._Element] = {}
        self._field = _Field()

    def part(self, name: str) -> list[Part]:
        """The lines and links of a part; none of a missing one, and none when it was read before."""
        root = None if name in self._read else self.package.root(name)
        self._read.add(name)
        if root is None:
            return []
        outer, self._relations = self._relations, self.package.relations(name)
        try:
            found: list[Part] = []
            self.lines(root, found)
            return found
        finally:
            self._relations = outer

    def with_notes(self, kind: str, name: str) -> None:
        """Read the footnotes or endnotes (`kind`) of this part where the text names them."""
        root = self.package.root(name)
        for note in () if root is None else root.iter(f"{{*}}{kind}"):
            self._notes[kind, attribute(note, "id")] = note

    def lines(self, holder: etree._Element, found: list[Part]) -> None:
        """Append the lines and links below an element."""
        for child in self._children(holder):
            if name_of(child) in _APART:
                line: list[str] = []
                after: list[Part] = []
                self._words(child, line, after)
                found.append(("".join(line), ""))
                found += after
            elif not self._named(child, found):
                self.lines(child, found)

    def text(self, paragraph: etree._Element) -> str:
        """The text of one paragraph."""
        line: list[str] = []
        self._words(paragraph, line, [])
        return tidy("".join(line))

    def _words(self, element: etree._Element, line: list[str], after: list[Part]) -> None:
        """Append the words of a line, and the lines and links that follow it."""
        for child in self._children(element):
            name = name_of(child)
            start = len(line)
            if name == "t":
                line.append(text_of(child))
            elif name in _SIGNS:
                line.append(_SIGNS[name])
            elif name in {"instrText", "fldChar"}:
                after += self._field.links(child, line)
            elif name in _HOLDERS:
                self.lines(child, after)
            elif not self._named(child, after):
                self._words(child, line, after)
                line += [" "] if name == "p" else []  # of a cell
            if url := self._url(child, name):
                after.append(("".join(line[start:]), url))

    def _children(self, element: Iterable[etree._Element]) -> Iterator[etree._Element]:
        """The children that have text to be read; of alternatives the first with text."""
        for child in element:
            name = name_of(child)
            if name == "AlternateContent":
                yield from self._children(next(filter(_has_text, child), ()))
            elif name and name not in _LEFT_OUT:
                yield child

    def _named(self, element: etree._Element, found: list[Part]) -> bool:
        """Append the text of the chart, diagram or note that an element names, if any."""
        name = name_of(element)
        if name in {"chart", "relIds"}:
            relation = self._relations.get(attribute(element, "id" if name == "chart" else "dm"))
            if relation is not None:
                found += self.part(relation.part)
            return relation is not None
        if name in {"footnoteReference", "endnoteReference"}:
            note = self._notes.pop((name.removesuffix("Reference"), attribute(element, "id")), None)
            if note is not None:
                self.lines(note, found)
            return True
        if name == "strCache":  # the name of a series, or of the values: the same for all series
            names = " ".join(value.text or "" for value in element.iter("{*}v")), ""
            found += [] if names in found else [names]
            return True
        return False

    def _url(self, element: etree._Element, name: str) -> str:
        """The URL to which an element links, or ""."""
        if name == "fldSimple":
            return _url_of_field(attribute(element, "instr"))
        link = element if name == "hyperlink" else None
        if name == "r":
            link = element.find("{*}rPr/{*}hlinkClick")
        relation = None if link is None else self._relations.get(attribute(link, "id"))
        return "" if relation is None else relation.url


class _Field:
    """The link of a field that is written as a row of runs: an instruction, a mark, the text of the link, another mark."""

    def __init__(self) -> None:
        self._instruction, self._begin = "", 0

    def links(self, element: etree._Element, line: Sequence[str]) -> list[Part]:
        """The link that ends with this element, if any. `line`: the line so far."""
        mark = attribute(element, "fldCharType")
        if mark == "end":
            url, self._instruction = _url_of_field(self._instruction), ""
            return [("".join(line[self._begin :]), url)] if url else []
        if mark == "begin":
            self._instruction = ""
        elif mark == "separate":
            self._begin = len(line)
        else:
            self._instruction += element.text or ""
        return []


def _url_of_field(instruction: str) -> str:
    found = _FIELD_LINK.match(instruction)
    return found[1] if found else ""


def _has_text(element: etree._Element) -> bool:
    return (
        any(each.text for each in element.iter("{*}t"))
        or next(element.iter("{*}chart", "{*}relIds"), None) is not None
    )
