"""Which pages of recorded webs are called challenges, login walls or soft 404s, and what that costs.

    python benchmarks/challenges.py --web blogs/pages.warc.gz,portal/pages.warc.gz [--every 1]

All HTML pages with status 200 are read. Printed are those that are called no pages, their share, and the CPU time of `signs_of` as a share
of that of reading the page (pages.read: parse, title, main text, words) without links and relevance.
"""

from __future__ import annotations

import argparse
import time

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.crawling.challenges import Challenges
from topiccrawler.pages.challenge_signs import signs_of
from topiccrawler.pages.formats.registry import HTML, recognise
from topiccrawler.pages.read import ContentReader
from topiccrawler.replay.warc import RecordedWeb, recorded_paths
from topiccrawler.text.characters import decode


def main() -> None:
    """Read the pages and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", required=True, help="WARC files, separated by commas")
    parser.add_argument("--every", type=int, default=1, help="only each N-th page")
    options = parser.parse_args()
    reader, challenges = ContentReader(), Challenges()
    reader.content("http://warm.up/", "<title>請稍候</title><p>安全验证</p>".encode())
    pages = called = 0
    reading = signing = 0.0
    for path in recorded_paths(options.web):
        web = RecordedWeb([path])
        for url in list(web.urls())[:: options.every]:
            found = web.response(url)
            if found is None or found.status != 200:
                continue
            declared = found.content_type
            if recognise(found.body, declared) != HTML:
                continue
            pages += 1
            begun = time.process_time()
            content = reader.content(url, found.body, content_type=declared)
            reading += time.process_time() - begun
            html, document = decode(found.body)[0], content.document
            begun = time.process_time()
            signs_of(html, document, content.title, content.main_text, url)
            signing += time.process_time() - begun
            challenge = challenges.of(content.signs, url)
            if challenge is not None:
                called += 1
                print(url, challenge.reason, ", ".join(challenge.signs), repr(content.title), sep="\t")
    print(
        f"{called} of {pages} pages are called no pages; {1000 * signing / pages:.4f} ms a page, "
        f"{signing / reading:.2%} of {1000 * reading / pages:.2f} ms for reading it"
    )


if __name__ == "__main__":
    main()
