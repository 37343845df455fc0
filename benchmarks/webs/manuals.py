"""An English web of real pages: the manuals that Debian's packages hold, a site a package, and an index of them.

    for name in $(python benchmarks/webs/manuals.py --packages)
        do apt-get download $name && dpkg -x ${name}_*.deb UNPACKED/$name; done
    python benchmarks/webs/manuals.py UNPACKED WEBS/manuals
    python benchmarks/narrow.py WEBS --topics benchmarks/english_topics.json [--judged benchmarks/english_judged.json]

Of each package the first PAGES_A_SITE pages in the order of links from the index page that reaches most. All pages count as content; what a
page is about is said by its title alone (benchmarks/narrow.py).
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the package may not be installed
from topiccrawler.replay.warc_writing import write_web

PACKAGES = (
    "apache2-doc cppreference-doc-en-html debian-policy erlang-doc exim4-doc-html gimp-help-en git-doc "
    "gnuplot-doc lilypond-doc-html nodejs-doc octave-doc postfix-doc postgresql-doc-15 python-django-doc "
    "python-pandas-doc python-sklearn-doc python-sqlalchemy-doc python3.11-doc rust-doc slime"
).split()
PAGES_A_SITE = 500
LEAST_PAGES = 12
INDEXES = ("index", "contents", "toc")  # names of pages that a manual may begin with
MOST_INDEXES = 6  # of a package that are tried
HTML = ("Content-Type", "text/html")
INDEX = "http://index.example/"


def site_of(files: Mapping[str, Path], host: str) -> dict[str, bytes]:
    """URL -> body of the pages of a manual, from where most can be reached. `files`: by path."""
    begins = [path for path in files if Path(path).stem in INDEXES]
    begins.sort(key=lambda path: (path.count("/"), len(path), path))
    sites = [reached(files, host, path) for path in begins[:MOST_INDEXES]]
    return max(sites, key=len, default={})


def reached(files: Mapping[str, Path], host: str, begin: str, most: int = PAGES_A_SITE) -> dict[str, bytes]:
    """URL -> body of what links lead to, breadth first, at most so many pages."""
    paths, known, found = [begin], {begin}, dict[str, bytes]()
    for path in paths:  # grows meanwhile
        url = f"http://{host}/{quote(path)}"
        found[url] = body = content_of(files[path])
        for linked in linked_paths(url, body):
            if linked in files and linked not in known and len(paths) < most:
                known.add(linked)
                paths.append(linked)
    return found


def linked_paths(url: str, body: bytes) -> list[str]:
    """Of the page's own host."""
    found = []
    parsed = LexborHTMLParser(body)
    based = parsed.css_first("base[href]")
    base = urljoin(url, based.attributes.get("href") or "") if based else url
    for node in parsed.css("a[href]"):
        try:
            target = urlsplit(urljoin(base, node.attributes.get("href") or ""))
        except ValueError:
            continue
        if target.netloc == urlsplit(url).netloc:
            found.append(unquote(target.path[1:]))
    return found


def content_of(file: Path) -> bytes:
    """Debian compresses large pages."""
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def html_files(folder: Path) -> dict[str, Path]:
    """Path in the package, as its links name it -> file."""
    found = (file for file in sorted(folder.rglob("*")) if file.is_file())
    named = {str(file.relative_to(folder)).removesuffix(".gz"): file for file in found}
    return {path: file for path, file in named.items() if path.endswith((".html", ".htm"))}


def write(unpacked: Path, folder: Path) -> int:
    """The web as a recording with its labels and seeds; how many pages."""
    sites = {}
    for name in PACKAGES:
        site = site_of(html_files(unpacked / name), f"{name.removesuffix('-doc').replace('.', '-')}.example")
        if len(site) >= LEAST_PAGES:
            sites[name] = site
    return write_sites(sites, folder)


def write_sites(sites: Mapping[str, Mapping[str, bytes]], folder: Path, others: Collection[str] = ()) -> int:
    """The same of sites: name -> URL -> body. `others`: URLs of pages that count as no content."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = "".join(f'<li><a href="{next(iter(site))}">{name}</a></li>' for name, site in sites.items())
    index = f'<html lang="en"><title>Manuals</title><ul>{shown}</ul></html>'.encode()
    pages = {INDEX: index} | {url: body for site in sites.values() for url, body in site.items()}
    kinds = {url: "other" if url in others else "content" for url in pages} | {INDEX: "home"}
    write_web(folder / "pages.warc", ((url, 200, (HTML,), body) for url, body in pages.items()))
    rows = ["#url\ttopics\thow\tkind", *(f"{url}\t\tplan\t{kind}" for url, kind in kinds.items())]
    (folder / "labels.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "seeds.tsv").write_text(f"all\t{INDEX}\n", encoding="utf-8")
    return len(rows) - 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("unpacked", type=Path, nargs="?", help="folder with a folder a package")
    parser.add_argument("folder", type=Path, nargs="?", help="where the web is written")
    parser.add_argument("--packages", action="store_true", help="only list the packages")
    given = parser.parse_args()
    if given.packages or given.folder is None:
        print("\n".join(PACKAGES))
    else:
        print(f"{write(given.unpacked, given.folder)} pages in {given.folder}")
