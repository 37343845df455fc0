"""Exports the selected pages of a job to a file, a folder or standard output, in the chosen format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.crawling.job_topic import topic_display_name
from topiccrawler.crawling.page_stores import logs_of, stored_in
from topiccrawler.errors import ArgumentError
from topiccrawler.files import whole_file
from topiccrawler.pages.kinds import ARTICLE
from topiccrawler.pages.personal_data import redacted
from topiccrawler.pages.usage import TRAIN_AI
from topiccrawler.results.corpus import WHOLE, Shape, new_folder, write_corpus
from topiccrawler.results.formats import (
    WRITERS,
    Export,
    MarkdownTexts,
    compressed,
    redacted_record,
    write_markdown,
    write_markdown_files,
)
from topiccrawler.results.job_pages import JobPages
from topiccrawler.results.wacz import WaczWriter
from topiccrawler.store.html import PAGES_WARC, KeptHtml
from topiccrawler.store.pages import ALL, PageRecord, Selection

MARKDOWN, MARKDOWN_FILES, GRAPHML, WACZ, CORPUS = "markdown", "markdown-files", "graphml", "wacz", "corpus"
FORMATS = (*WRITERS, MARKDOWN, MARKDOWN_FILES, GRAPHML, WACZ, CORPUS)
FOLDERS = frozenset({MARKDOWN_FILES, CORPUS})
STREAMS = frozenset({"jsonl", "csv", MARKDOWN})  # text formats, which can be written to standard output
COMPRESSED = STREAMS | {GRAPHML}  # compressed as the file's name ends
ENDINGS = {**{f".{name}": name for name in (*WRITERS, GRAPHML, WACZ)}, ".md": MARKDOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of an export: which pages, and how they are written."""

    selection: Selection = ALL
    limit: int | None = None
    with_text: bool = False  # only pages that have main text
    markdown: bool = False  # the texts of a corpus are Markdown
    links: bool = False  # Markdown keeps link targets
    redact: bool = False  # personal data become placeholders
    shape: Shape = WHOLE

    def filters(self) -> list[str]:
        """The filters of the selection that are set, as lines for a person."""
        chosen = {name: value for name, value in asdict(self.selection).items() if value}
        texts = {
            name: ", ".join(value) if isinstance(value, tuple) else value for name, value in chosen.items()
        }
        return [f"{name.replace('_', ' ')}: {value}" for name, value in texts.items()]


def export(pages: JobPages, form: str, out: Path | None, wanted: Wanted = Wanted()) -> list[str]:
    """Write the pages to a file, a folder (a corpus) or standard output; return messages for a person. `form`: one of FORMATS.
    A file or folder gets its name once it is complete. ArgumentError for invalid options, StateError for a damaged page store."""
    if wanted.redact and form in (GRAPHML, WACZ):
        raise ArgumentError("--redact", f"is not for {form}", "give another --format")
    pages.check_whole()
    folders: set[Path] = set()
    if form in (MARKDOWN, MARKDOWN_FILES, WACZ) or wanted.markdown:
        folders = {pages.folder, *logs_of(pages.folder)}  # each process has its own HTML
    with KeptHtml(sorted(folders)) as html:
        texts = MarkdownTexts(html, links=wanted.links)
        hide = redacted if wanted.redact else str

        def markdown(record: PageRecord) -> str:
            return hide(texts(record))

        if form == CORPUS and out is not None:
            return [*_corpus(pages, out, wanted, texts), *_plain_text_notes(texts, pages.folder)]
        whole = wanted.selection == ALL and wanted.limit is None and not wanted.with_text
        archive: WaczWriter | None = None
        write: Export = partial(write_markdown, texts=markdown)
        if form == WACZ:
            write = archive = WaczWriter(html, pages.folder.name)
        elif form not in (MARKDOWN, MARKDOWN_FILES):
            write = export_of(form, pages.folder, whole=whole)
        records = _records(pages, form, wanted)
        if out is None:
            write(records, sys.stdout.buffer)
            return _plain_text_notes(texts, pages.folder)
        if form == MARKDOWN_FILES:
            with new_folder(out) as folder:
                count = write_markdown_files(records, folder, markdown)
            return [f"{count} pages written to {out}", *_plain_text_notes(texts, pages.folder)]
        suffix = out.suffix.lower() if form in COMPRESSED else ""
        with whole_file(out) as raw, compressed(raw, suffix) as file:
            count = write(records, file)
    notes = _plain_text_notes(texts, pages.folder)
    if archive is not None and archive.without_html:
        notes = [
            f"{archive.without_html} pages are left out: their HTML was not kept (TOPIC_KEEP_HTML=False), or they are no HTML pages"
        ]
    return [f"{count} pages written to {out}", *notes]


def _records(pages: JobPages, form: str, wanted: Wanted) -> Iterator[PageRecord]:
    """The pages to write, best first, without personal data if wanted so."""
    records = iter(pages.best(wanted.selection, None if wanted.with_text else wanted.limit))
    if wanted.with_text:
        records = islice((record for record in records if record.text), wanted.limit)
    if wanted.redact:
        is_markdown = form in (MARKDOWN, MARKDOWN_FILES)
        records = (redacted_record(record, text=not is_markdown) for record in records)
    return records


def _corpus(pages: JobPages, out: Path, wanted: Wanted, texts: MarkdownTexts) -> list[str]:
    recipe = read_recipe(pages.folder)
    selection = wanted.selection
    kinds, usage = selection.kinds or (ARTICLE,), selection.usage or TRAIN_AI
    wanted = replace(wanted, selection=replace(selection, kinds=kinds, usage=usage))
    about = [
        *wanted.filters(),
        *(["personal data: replaced"] if wanted.redact else []),
        f"text: {'Markdown' if wanted.markdown else 'plain, one paragraph a line'}",
    ]
    if recipe is not None:
        about = [f"topic: {topic_display_name(recipe)}", f"strategy: {recipe.strategy}", *about]
    if not wanted.selection.refused and (refused := pages.refused()):
        about.append(
            f"left out: {refused} pages that were kept and, judged again, are off topic, or ask not to be kept"
        )
    text_of: Callable[[PageRecord], str] = texts if wanted.markdown else _text
    counts = write_corpus(
        _Selected(pages, replace(wanted.selection, usage="")), out, text_of, wanted.shape, limit=wanted.limit,
        about=about, usage=wanted.selection.usage, hide=redacted if wanted.redact else str,
    )  # fmt: skip
    without = f"{counts.refused} pages by what they say about use, {counts.without_text} without main text, {counts.excerpts} excerpts of others and {counts.copies} near copies left out"
    return [f"{counts.written} pages written to {out} in {len(counts.shards)} files; {without}"]


@dataclass(frozen=True, slots=True)
class _Selected:
    """The selected pages, read anew each time."""

    pages: JobPages
    selection: Selection

    def __iter__(self) -> Iterator[PageRecord]:
        return self.pages.best(self.selection)


def _text(record: PageRecord) -> str:
    return record.text


def _plain_text_notes(texts: MarkdownTexts, folder: Path) -> list[str]:
    """Messages that say how many pages are plain text, why, and what helps."""
    elsewhere = texts.elsewhere if stored_in(folder) is not None else 0
    causes = {
        f"no {PAGES_WARC} here has their HTML; a process on another machine keeps it in its folder of the job: copy that folder into"
        " TOPIC_DATA_DIR under a name of its own, and export again (TOPIC_KEEP_HTML=False keeps none)": elsewhere,
        "their HTML was not kept (TOPIC_KEEP_HTML=False) or does not have the text": texts.plain - elsewhere,
    }
    what = "pages are plain text, without structure"
    return [f"{count} {what}: {why}" for why, count in causes.items() if count]


def format_of(asked: str | None, out: str | None) -> str:
    """The format that the user asked for, or else that of the file's extension. ArgumentError for an unknown format, and for one that
    needs a file when `out` is None."""
    name = asked or next((known for end, known in ENDINGS.items() if _ends(out or "", end, known)), None)
    if name is None and out is not None:
        remedy = f"end it with one of {', '.join(ENDINGS)}, or give --format"
        raise ArgumentError(f"--out {out}", "ends with no known format", remedy)
    if name is None:
        raise ArgumentError("--format", "is missing", f"give one of {', '.join(FORMATS)}")
    if name not in FORMATS:
        raise ArgumentError(f"--format {name}", "is not known", f"use one of {', '.join(FORMATS)}")
    if out is None and name not in STREAMS:
        fault, what = "is no text for standard output", "FILE"
        if name in FOLDERS:
            fault, what = "is a folder", "FOLDER"
        raise ArgumentError(f"--format {name}", fault, f"name it: --out {what}")
    return name


def _ends(out: str, end: str, form: str) -> bool:
    """Whether the file's name ends with the ending of a format, perhaps with that of its compression."""
    packed = (".gz", ".zst") if form in COMPRESSED else ()
    return out.lower().endswith((end, *(f"{end}{more}" for more in packed)))


def export_of(name: str, folder: Path, *, whole: bool = False) -> Export:
    """The function that writes a format; its library is imported only here. `folder`: the job's folder. `whole`: no filter is set."""
    if name != GRAPHML:
        return WRITERS[name]
    from topiccrawler.results.link_graph import write_graph

    return partial(write_graph, folder=folder, whole=whole)
