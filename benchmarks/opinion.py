"""What second opinions give: narrow topics as benchmarks/narrow.py crawls them, with a judge that answers from recorded judgements.

    python benchmarks/opinion.py [WEBS] [--topics FILE] [--judged FILE] [--part NAME,NAME] [--pages 1000] [--opinions 500] [--unjudged FILE]
        [-s NAME=VALUE]... [--out DIR] [--json]

The judge is a real HTTP server on loopback that speaks OpenAI's chat completions. It is asked by the crawl itself, and its model is named
after the topic. About a page that nobody judged it says nothing, so the words decide; `--opinions 0` measures the words alone. The files
are those of narrow.py; the figures too. `words` has precision, recall and P@25 of the same pages as the words judged them when they were
fetched, `asked` the pages asked about, `changed` those for which the opinion was another than the words'.
`--unjudged` lists the pages kept or asked about that have no judgement, as JSON {topic: {url: title}}, for a reader to judge.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean
from typing import Any, get_type_hints

import _checkout  # noqa: F401 first: the package may not be installed
import narrow

from topiccrawler.crawling.job_files import STATS
from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.crawling.page_stores import open_pages, visits_of
from topiccrawler.lab.training.narrow_truth import LabelledWeb, read_json, read_topics, read_web

OPINIONS = 500
WORDS = ("words P", "words R", "words P@25")


@dataclass(slots=True)
class Judge:
    """The recorded judgements by topic and number of a page in the topic's web, and what was asked for without one."""

    webs: Mapping[str, LabelledWeb]  # by topic
    judged: Mapping[str, Mapping[int, int]]
    unknown: dict[str, dict[str, str]] = field(default_factory=dict)  # by topic: URL -> title

    def answer(self, request: Mapping[str, Any]) -> str:
        """The content of the answer to a chat-completions request."""
        topic, answers = request["model"], []
        for page in json.loads(request["messages"][-1]["content"])["pages"]:
            number = self.webs[topic].pages.number_of_any(page["address"])
            said = None if number is None else self.judged[topic].get(number)
            if said is None:
                self.unknown.setdefault(topic, {})[page["address"]] = page["title"]
            else:
                verdict = "yes" if said else "no"
                answers.append({"page": page["page"], "about": verdict, "reason": "recorded"})
        return json.dumps({"answers": answers})


@contextmanager
def serving(judge: Judge) -> Iterator[str]:
    """Serve the judge on a free port of loopback; its base address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = judge.answer(asked)
            body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
            self.send_response(200 if self.path == "/v1/chat/completions" else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def opinion_counts(job: Path) -> dict[str, float]:
    """Pages asked about by the crawl of that job, and changed."""
    stats = json.loads((job / STATS).read_text(encoding="utf-8"))

    def count(*names: str) -> int:
        return sum(int(stats.get(f"topic/opinions/{name}", 0)) for name in names)

    return {"asked": count("yes", "no", "unanswered"), "changed": count("kept", "refused")}


def by_words(job: Path) -> dict[str, Verdict]:
    """The verdicts of the words on the pages of a job, by URL, as its log has them; an alias counts as not kept."""
    with closing(open_pages(job)) as store:
        aliases = {record.url for record in store.records() if record.alias_of}
    visits = (visit for visit in visits_of(job) if visit.is_page)
    return {one.url: Verdict(one.relevance, one.stored and one.url not in aliases) for one in visits}


def titles_kept(job: Path) -> dict[str, str]:
    """URL -> title of the pages that a job keeps."""
    with closing(open_pages(job)) as store:
        kept = (record for record in store.records() if record.stored and not record.alias_of)
        return {record.url: record.title for record in kept}


def main() -> None:
    """Read the webs, crawl for each topic with the judge, print a row a topic and the means."""
    parser = narrow.options(__doc__)
    add = parser.add_argument
    add("--opinions", type=int, default=OPINIONS, metavar="N", help="most questions a topic")
    add("--unjudged", type=Path, metavar="FILE", help="lists pages without a judgement there")
    narrow.measure("opinion", parser.parse_args(), measured)


def measured(options: argparse.Namespace, folder: Path) -> None:
    """What main does, once it knows where the webs are."""
    topics = read_topics(options.topics, [name for name in options.part.split(",") if name])
    judged = read_json(options.judged)
    read = {name: read_web(folder / name) for name in dict.fromkeys(topic.web for topic in topics)}
    webs = {topic.name: read[topic.web] for topic in topics}
    numbered = {
        name: {web.pages.number_of_any(url): said for url, said in judged.get(name, {}).items()}
        for name, web in webs.items()
    }
    judge, left = Judge(webs, numbered), dict[str, dict[str, str]]()
    table, counts = dict[str, narrow.Row](), dict[str, dict[str, float]]()
    kinds = {**get_type_hints(narrow.Row), **dict.fromkeys(WORDS, float), "asked": int, "changed": int}
    heads = (*narrow.HEADS, *WORDS, "asked", "changed")
    print(f"{'':<12}" + "".join(f"{head:>12}" for head in heads), flush=True)
    with serving(judge) as address, tempfile.TemporaryDirectory() as temporary:
        for topic in topics:
            web = webs[topic.name]
            settings = [f"TOPIC_JUDGE_URL={address}", f"TOPIC_JUDGE_MODEL={topic.name}", *options.settings]
            more = {"opinions": str(options.opinions)}
            place = (options.out or Path(temporary)) / topic.name
            job = narrow.crawl(topic, web, options.pages, settings, place, more)
            truth = web.about(topic, judged.get(topic.name, {}))
            row = narrow.score(job, web, truth, options.pages)
            words = narrow.score(job, web, truth, options.pages, by_words(job))
            figures = (words.precision, words.recall, words.p_at_25)
            table[topic.name] = row
            counts[topic.name] = {**dict(zip(WORDS, figures, strict=True)), **opinion_counts(job)}
            print(narrow.shown(topic.name, asdict(row) | counts[topic.name], kinds), flush=True)
            known = numbered[topic.name]
            kept = {
                url: title
                for url, title in titles_kept(job).items()
                if web.pages.number_of_any(url) not in known
            }
            left[topic.name] = {**judge.unknown.get(topic.name, {}), **kept}
    mean = narrow.mean_of(table.values())
    mean |= {name: fmean(one[name] for one in counts.values()) for name in (*WORDS, "asked", "changed")}
    print(narrow.shown(f"mean of {len(table)}", mean, kinds))
    if options.unjudged:
        options.unjudged.write_text(json.dumps(left, ensure_ascii=False, indent=1), encoding="utf-8")
    if options.json:
        rows = {name: asdict(row) | counts[name] for name, row in table.items()}
        print(json.dumps({"topics": rows, "mean": mean}))


if __name__ == "__main__":
    main()
