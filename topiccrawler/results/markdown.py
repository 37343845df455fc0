"""Converts the main text of a kept page to Markdown: headings, lists, tables, code, quotes and, on request, links.

The store has the lines of the main text; the job's pages.warc.gz has the page's HTML. The page is parsed again as the crawl parsed it, and the
blocks that have these lines are found. Only they are written, as HTML of a few harmless elements, which markdownify converts. No markup of
the page itself is copied: no attribute except http URLs and the name of a code's language, no tag outside `_KEPT`.

A table is a data table if it has two rows of two filled cells and no headings, lists, code or tables inside; else it is layout, and its
cells become paragraphs.
Text       what would be parsed as HTML, a link, emphasis or a list is escaped with a backslash, and nothing else.
Bounds     pages.parse bounds the page; MOST_BLOCKS and DEEPEST bound what is converted.
But        if less than LEAST_FOUND of the lines' characters is found again, or elements are nested hundreds deep, there is no structure:
           each line is a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from markdownify import MarkdownConverter
from selectolax.lexbor import LexborNode

from topiccrawler.pages.document import BOUNDARY, Block, Document
from topiccrawler.pages.dom_traversal import BLOCK_TAGS
from topiccrawler.pages.main_text import line_of, main_lines
from topiccrawler.pages.parse import parse_with_tree
from topiccrawler.text.folding import visible
from topiccrawler.urls.canonical import Canonicalizer

MOST_BLOCKS = 5_000
DEEPEST = 60  # levels of nested elements
LEAST_FOUND = 0.9
LONGEST_CELL = 500
_SAME = "blockquote dd dl dt h1 h2 h3 h4 h5 h6 li ol pre table td th tr ul"
_KEPT = {
    **dict.fromkeys(BLOCK_TAGS.split(), "div"),
    **{tag: tag for tag in _SAME.split()},
    **dict.fromkeys(("html", "body", "thead", "tbody", "tfoot", "option", "select", "button"), ""),
    "p": "p", "b": "strong", "strong": "strong", "i": "em", "em": "em",
    "code": "code", "kbd": "code", "samp": "code", "tt": "code",
}  # fmt: skip
_OF_TABLES = frozenset({"table", "tr", "td", "th"})
_IN_LAYOUT = frozenset({"table", "pre", "ul", "ol", "dl", *(f"h{level}" for level in range(1, 7))})
_HIDDEN = frozenset({"title", "textarea", "select", "iframe", "noframes", "noembed", "datalist"})
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|brush:)-?\s*([A-Za-z0-9+#-]{1,20})(?:\s|;|$)")
_NUMBERS = re.compile(r"[\d\s]*")
_ESCAPED = re.compile(
    r"\\(?=[\\<&*`_\]#>+|-]|$)|<(?![\s\d=])|&(?=#?\w+;)|`|\*(?!\s)|(?<!\w)_(?!\s)|\](?=[(\[:]|$)|^[#>+*-](?=\s)|(?<=^\d)[.)](?=\s)"
)


def markdown_of(text: str, html: str = "", url: str = "", *, links: bool = False) -> tuple[str, bool]:
    """The main text `text` of the page `html` as Markdown, and whether it has the page's structure. `links`: keep link targets."""
    found = _structure(text, html, url, links=links) if html else ""
    if found:
        return found, True
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
    return _Converter().convert(paragraphs), False


def heading(title: str) -> str:
    """A title of one line as the heading of a page; "" for an empty one."""
    return str(_Converter().convert(f"<h1>{escape(title)}</h1>")).strip() if title else ""


def _structure(text: str, html: str, url: str, *, links: bool) -> str:
    document, tree = parse_with_tree(html)
    blocks = _blocks_of(document, text)
    if not blocks or len(blocks) > MOST_BLOCKS or tree.root is None:
        return ""
    try:
        written = _Writing(document, blocks, url if links else "").write(tree.root)
        return str(_Converter().convert(written))
    except RecursionError:
        return ""


def _blocks_of(document: Document, text: str) -> list[Block]:
    """The blocks whose lines make up the text, in document order: blocks of the main text, or else of the whole page. Empty if too few
    lines are found."""
    lines = set(text.split("\n"))
    for found in (main_lines(document), ((block, line_of(document, block)) for block in document.blocks)):
        known = [(block, line) for block, line in found if line in lines]
        if sum(map(len, {line for _, line in known})) >= LEAST_FOUND * sum(map(len, lines)):
            return [block for block, _ in known]
    return []


class _Writing:
    """Writes some blocks of a page as plain HTML."""

    def __init__(self, document: Document, blocks: list[Block], url: str) -> None:
        self._tags, self._parents = document.node_tags, document.node_parents
        kept = {start for start, *_ in _runs_in(document, blocks)}
        self._runs: dict[int, list[bool]] = {}  # element -> whether each of its texts is kept, in order
        self._codes: set[int] = set()  # <pre> elements with kept text
        self._tables = self._data_tables(document, kept)
        for start, _, node, _, _ in document.runs:
            self._runs.setdefault(node, []).append(start in kept)
            if start in kept:
                self._codes.update(self._above(node, "pre"))
        self._canonical = Canonicalizer(url) if url else None
        self._out: list[str] = []
        self._texts = 0  # written so far
        self._last = -1  # number of the last element that was begun

    def _above(self, node: int, *tags: str) -> Iterator[int]:
        """The ancestors of a node that have one of these tags, innermost first; the node itself is included."""
        while node >= 0:
            if self._tags[node] in tags:
                yield node
            node = self._parents[node]

    def _data_tables(self, document: Document, kept: set[int]) -> set[int]:
        cells: dict[int, int] = {}  # cell -> its number of characters
        for start, end, node, _, _ in document.runs:
            if start in kept and (cell := next(self._above(node, "td", "th"), -1)) >= 0:
                cells[cell] = cells.get(cell, 0) + end - start
        rows: dict[int, dict[int, int]] = {}  # table -> row -> filled cells
        long = (cell for cell, length in cells.items() if length > LONGEST_CELL)
        layout = {table for cell in long for table in self._table(cell)}
        for cell in cells:
            row = next(self._above(cell, "tr"), -1)
            for table in self._table(cell):
                counts = rows.setdefault(table, {})
                counts[row] = counts.get(row, 0) + 1
        for node, tag in enumerate(self._tags):
            if tag in _IN_LAYOUT:
                layout.update(self._table(self._parents[node]))
        return {table for table, counts in rows.items() if sum(n >= 2 for n in counts.values()) >= 2} - layout

    def _table(self, node: int) -> list[int]:
        """A list with the innermost table around a node, or an empty list."""
        found = next(self._above(node, "table"), None)
        return [] if found is None else [found]

    def write(self, root: LexborNode) -> str:
        """The HTML of the kept blocks. RecursionError for a page that is nested too deeply."""
        self._element(root, 0, hidden=False)
        return "".join(self._out)

    def _element(self, node: LexborNode, depth: int, *, hidden: bool) -> None:
        """Write an element with its contents; an element without text is dropped, unless it is a table cell."""
        self._last += 1  # numbers elements as the traversal of the document did
        if (index := self._last) >= len(self._tags):
            return
        tag = self._tags[index]
        begin, end = self._tag(tag, index, node) if depth < DEEPEST * 4 else ("", "")
        place, texts = len(self._out), self._texts
        if begin:
            self._out.append(begin)
        hidden |= tag in _HIDDEN
        child = node.first_child
        while child is not None:
            name = child.tag or "-"
            if name[0] != "-":
                self._element(child, depth + 1, hidden=hidden)
            elif name == "-text" and not hidden:
                self._text(visible(child.text_content or ""), index)
            child = child.next
        if tag == "pre" and end and _NUMBERS.fullmatch("".join(self._out[place + 1 :])):
            self._texts = texts  # only line numbers beside code: drop them
        if self._texts == texts and end not in {"</td>", "</th>"}:
            del self._out[place:]
        else:
            self._out.append(end)

    def _text(self, raw: str, at: int) -> None:
        blank = not raw.replace(BOUNDARY, "").strip()
        kept = self._runs.get(at)
        is_kept = False
        if not blank and kept:
            is_kept = kept.pop(0)
        code = next(self._above(at, "pre"), -1)
        if code in self._codes:
            self._out.append(escape(raw, quote=False))
            self._texts += not blank
        elif is_kept or (blank and raw and self._out and not self._out[-1].endswith(" ")):
            text = " ".join(raw.split())
            spaced = f"{' ' if raw[0].isspace() else ''}{text}{' ' if text and raw[-1].isspace() else ''}"
            self._out.append(escape(spaced, quote=False))
            self._texts += is_kept

    def _tag(self, tag: str, index: int, node: LexborNode) -> tuple[str, str]:
        """The start and the end tag that an element is written with; empty for an element that is not written."""
        inner = self._parents[index]
        in_code = next(self._above(inner, "pre"), -1) in self._codes
        if tag == "br":
            self._out.append("\n" if in_code else "<br>")
            return "", ""
        if in_code:
            if tag in {"div", "li", "tr", "p"}:  # each is a line of code
                self._out.append("\n")
            return "", ""
        if tag == "a":
            href = node.attributes.get("href") if self._canonical is not None else None
            url = self._canonical(href) if self._canonical is not None and href else None
            address = escape(url or "").replace("(", "%28").replace(")", "%29")
            return (f'<a href="{address}">', "</a>") if url else ("", "")
        found = _KEPT.get(tag, "")
        if tag in _OF_TABLES and next(self._above(index, "table"), -1) not in self._tables:
            found = "div"
        if tag == "pre" and (language := _language(node)):
            return f'<pre class="{escape(language)}">', "</pre>"
        return (f"<{found}>", f"</{found}>") if found else ("", "")


def _runs_in(document: Document, blocks: list[Block]) -> Iterator[tuple[int, int]]:
    """The start and the end of each text run within the blocks."""
    ends = {block.start: block.end for block in blocks}
    until = -1
    for start, end, *_ in document.runs:
        until = max(until, ends.get(start, -1))
        if end <= until:
            yield start, end


def _language(pre: LexborNode) -> str:
    """The language that a code block or the <code> in it names, in lower case; empty if none."""
    for node in (pre, pre.css_first("code")):
        found = _LANGUAGE.search(node.attributes.get("class") or "") if node is not None else None
        if found:
            return found[1].lower()
    return ""


def _code_language(pre: Any) -> str:
    return str(" ".join(pre.get("class") or ()))


class _Converter(MarkdownConverter):
    """markdownify with the escapes of `_ESCAPED`, and with fences longer than any run of backticks in the code."""

    def __init__(self) -> None:
        style: dict[str, Any] = {"heading_style": "atx", "bullets": "-", "autolinks": False}
        super().__init__(**style, code_language_callback=_code_language)

    def escape(self, text: str, parent_tags: set[str]) -> str:
        text = _ESCAPED.sub(r"\\\g<0>", text)
        return text.replace(BOUNDARY, rf"\{BOUNDARY}") if {"td", "th"} & parent_tags else text

    def convert_br(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return text + (" " if "_inline" in parent_tags else "\n")

    def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:
        code = text.strip("\n")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
        return f"\n\n{fence}{_code_language(el)}\n{code}\n{fence}\n\n" if code.strip() else ""
