"""One web a language of real pages that say the same: the manuals of two programs, as Debian's packages hold their translations.

    for name in $(python benchmarks/webs/translations.py --packages)
        do apt-get download $name && dpkg -x ${name}_*.deb UNPACKED/$name; done
    python benchmarks/webs/translations.py UNPACKED WEBS
    python benchmarks/narrow.py WEBS --topics WEBS/topics.json --judged WEBS/judged.json --pages 400

The topics (translated_topics.json) are the same in each language, in its words. What a page is about is said by the English title of the very
page, so truth owes nothing to the words that are looked for. Pages that nobody translated, whose title is the English one, are no content.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from manuals import content_of, html_files, reached, write_sites
from selectolax.lexbor import LexborHTMLParser

TOPICS = Path(__file__).parents[1] / "translated_topics.json"
MOST_PAGES = 3_000  # of a site
ENGLISH = "en"
SITES = {  # host -> package of a language, the first page, what stands before a page's name in every language
    "gimp.example": ("gimp-help-{}", "index.html", re.compile(r"^usr/share/gimp/2\.0/help/[^/]+/")),
    "office.example": (
        "libreoffice-help-{}",
        "text/swriter/main0000.html",
        re.compile(r"^usr/share/libreoffice/help/[^/]+/"),
    ),
}
NO_TITLE = "(?!)"  # matches nothing: all truth is in the judgements


def package(host: str, language: str) -> str:
    """The package of a site in a language."""
    return SITES[host][0].format("en-us" if (host, language) == ("office.example", ENGLISH) else language)


@cache
def titles(unpacked: Path, host: str, language: str) -> dict[str, str]:
    """Name of a page, the same in each language -> its title."""
    before = SITES[host][2]
    return {
        before.sub("", path): title_of(content_of(file))
        for path, file in html_files(unpacked / package(host, language)).items()
        if before.match(path)
    }


def title_of(body: bytes) -> str:
    """Of a page."""
    found = LexborHTMLParser(body).css_first("title")
    return " ".join(found.text().split()) if found else ""


def write(unpacked: Path, webs: Path, language: str, topics: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The web of a language; topic -> URL -> whether the page is on it."""
    sites: dict[str, dict[str, bytes]] = {}
    english: dict[str, str] = {}  # URL -> title
    others = set()
    for host, (_, first, before) in SITES.items():
        files = html_files(unpacked / package(host, language))
        begin = next((path for path in files if before.sub("", path) == first), None)
        if begin is None:
            continue
        site = reached(files, host, begin, MOST_PAGES)
        in_english, own = titles(unpacked, host, ENGLISH), titles(unpacked, host, language)
        for url in site:
            name = before.sub("", url.split("/", 3)[3])
            english[url] = in_english.get(name, "")
            if not english[url] or (language != ENGLISH and own.get(name) == english[url]):
                others.add(url)
        sites[host] = site
    pages = write_sites(sites, webs / language, others)
    expressions = {
        topic: re.compile(expression, re.IGNORECASE) for topic, expression in topics["expressions"].items()
    }
    print(f"{language}: {pages} pages, {len(others)} of them not translated")
    return {
        topic: {
            url: int(url not in others and expressions[topic].search(title) is not None)
            for url, title in english.items()
        }
        for topic in topics["words"][language]
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("unpacked", type=Path, nargs="?", help="folder with a folder a package")
    parser.add_argument("webs", type=Path, nargs="?", help="where the webs are written, one a language")
    parser.add_argument("--packages", action="store_true", help="only list the packages")
    given = parser.parse_args()
    topics = json.loads(TOPICS.read_text(encoding="utf-8"))
    if given.packages or given.webs is None:
        print("\n".join(package(host, language) for language in topics["words"] for host in SITES))
        return
    listed, judged = {}, {}
    for language, words in topics["words"].items():
        for topic, found in write(given.unpacked, given.webs, language, topics).items():
            listed[f"{language}-{topic}"] = {"web": language, "words": words[topic], "match": NO_TITLE}
            judged[f"{language}-{topic}"] = found
    for name, table in (("topics", listed), ("judged", judged)):
        path = given.webs / f"{name}.json"
        path.write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
