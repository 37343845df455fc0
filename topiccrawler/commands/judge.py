"""`scrapy judge URL|FILE`: what the page classifier says of one page, and the words behind it.

A wrong decision has many possible causes: charset, title, main text, a word, the threshold. The command shows them in
the crawl's own order; the page comes as in a crawl (settings, proxies, REPLAY_WARC), or from a file.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from scrapy.http import Response


class Command(ReportingCommand):
    """The command `scrapy judge`: reads one page, classifies it, and prints the words that decide."""

    requires_crawler_process = True
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012 Scrapy's own attribute; faults are printed below

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        found = self._page_classifier(args[0], opts)
        self.report(opts, found, self.text("judge", found))

    def _page_classifier(self, place: str, opts: argparse.Namespace) -> dict[str, Any]:
        from topiccrawler.crawling.assemble import page_classifier_of, reader_of, topic_of
        from topiccrawler.crawling.recipe import recipe_of
        from topiccrawler.relevance.base import EVIDENCE

        name = opts.page_classifier or self.setting("TOPIC_PAGE_CLASSIFIER") or EVIDENCE
        chosen = opts.topic or self.setting("TOPIC")
        if not chosen and name != "detail":
            raise ArgumentError("--topic", "is missing", "name one: --topic finance")
        asked = EVIDENCE if name == "detail" else name
        recipe = recipe_of(self.project, chosen or "finance", page_classifier=asked)  # detail needs no topic
        topic = topic_of(recipe)
        page_classifier = page_classifier_of(recipe)
        url, body, charset = self._page(place, opts.url)
        reading = reader_of(recipe, topic, page_classifier, detail=False).read(url, body, charset)
        found: dict[str, Any] = {
            "url": url,
            "title": reading.page.title,
            "encoding": reading.encoding,
            "main_text_characters": len(reading.main_text),
            "page_classifier": name,
        }
        if name == "detail":
            from topiccrawler.crawling.assemble import folder_of
            from topiccrawler.relevance.detail import FEATURES, detail_svm, features

            of_page = features(reading.document)
            score = detail_svm(folder_of(recipe.page_classifier_models)).score(of_page)
            found |= {"score": round(score, 4), "threshold": 0.0, "kind": "detail" if score >= 0 else "link"}
            return found | {"words": [[name, round(v, 4)] for name, v in zip(FEATURES, of_page, strict=True)]}
        from topiccrawler.relevance.evidence import words_that_lead

        words = [[word, round(part, 4)] for word, part in page_classifier.explain(reading.words)]
        return found | {
            "topic": topic.name,
            "topic_name": topic.display_name,
            "score": round(reading.page.relevance, 4),
            "threshold": round(page_classifier.threshold, 4),
            "relevance": round(reading.page.relevance, 4),
            "similarity": round(reading.page.similarity, 4),
            "similarity_threshold": round(page_classifier.similarity_threshold, 4),
            "on_topic": reading.page.is_target,
            "words": words,
            "leading": [
                [word, round(part, 4)] for word, part in words_that_lead(page_classifier, reading.words)
            ],
        }

    def _page(self, place: str, url: str | None) -> tuple[str, bytes, str | None]:
        if "://" not in place:
            path = user_path(place)
            with file_faults(ArgumentError, place, "cannot be read", "give a file or an http(s) URL"):
                return url or path.absolute().as_uri(), path.read_bytes(), None
        from w3lib.encoding import http_content_type_encoding

        from topiccrawler.engine.reading import content_type

        response = self._fetch(place)
        return response.url, response.body, http_content_type_encoding(content_type(response))

    def _fetch(self, url: str) -> Response:
        """Fetch a page by Scrapy's own downloader, so that proxy, robots.txt and REPLAY_WARC apply as in a crawl."""
        from scrapy import Request, Spider

        from topiccrawler.urls.canonical import canonical

        address = canonical(url)
        if address is None:
            raise ArgumentError(url, "is no http(s) URL", "write it as http://host/path")
        wanted = Request(address, meta={"handle_httpstatus_all": True})
        got: list[Response] = []
        faults: list[str] = []

        class OnePage(Spider):
            name = "judge"

            async def start(self) -> Any:
                yield wanted.replace(callback=self.parse, errback=self.fail)

            def parse(self, response: Response) -> None:
                got.append(response)

            def fail(self, failure: Any) -> None:
                faults.append(failure.getErrorMessage())

        process = self.crawler_process
        assert process is not None  # noqa: S101 requires_crawler_process
        process.crawl(OnePage)
        process.start()
        if not got:
            fault = f"was not fetched: {(faults or ['no answer'])[0]}"
            raise ArgumentError(url, fault, "try again, or give a file")
        if got[0].status >= 400:
            raise ArgumentError(url, f"answers {got[0].status}", "give the address of a page")
        return got[0]
