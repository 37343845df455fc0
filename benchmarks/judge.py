"""How well the page classifier of each topic separates its pages from others, and how fast.

    python benchmarks/judge.py --documents docs_dev.jsonl [--web DIR] [--part test|train|all] [--disagreements N] [--json]
        [--classes finance=F83,…] [--page-classifier evidence|vsm|cosine|naive_bayes|svm [--trained] [--models DIR]]

--trained: the page classifier of each main topic is first trained on the other half (also `vsm`: its topic vector and threshold), once
for each of the two choices of a rest, and on the rest `topics` for the web. Without it, `vsm` is the catalogue's and the
others come from --models DIR (or models/).

Documents (JSON lines: id, label, title, text): one topic against the rest, at the topic's own threshold. The catalogue's
weights and thresholds were learned on the half with an even CRC-32 of the id ("train"); "test" is the other half. `topics`
counts only the thirteen labels that name a topic; `all` also those that name a form or a place of publishing (news,
blog, job …), whose pages are often about a topic too. `best` is F1 at the best threshold, for the choice of it.
Web: the content pages of a recorded web with labels.tsv (columns url, topics, how, kind) that have any topic; nothing was
learned there. --classes measures classes of the library classification there too, each by a label. --disagreements N shows N pages a topic, drawn by lot, where page classifier and label differ. Without arguments both are looked for in the folder that the environment names TOPICCRAWLER_SHARED.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed
from w3lib.encoding import http_content_type_encoding

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.recorded_web import label_rows
from topiccrawler.pages.read import PageClassifier, PageWords, Reader
from topiccrawler.relevance.choose import make_page_classifier
from topiccrawler.relevance.thresholds import Quality, best_threshold, quality
from topiccrawler.relevance.training.from_files import keywords_by_label
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.text.segmenter import words_of
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.classification import PREFIX

MAIN = ("finance", "travel", "health", "sport", "auto")
MAIN_WEB = ("finance", "health", "travel")
DOCUMENT_LABELS = {name: name for name in ("finance", "travel", "health", "auto", "tech")}
DOCUMENT_LABELS |= {"sport": "sports", "education": "edu"}
TOPIC_LABELS = frozenset(
    "finance edu tech culture sports auto fashion health travel mil house politics home".split()
)
DRAW = 20  # seed of the disagreements shown
WEB_LABELS = {"entertainment": "ent", "mathematics": "math"}


@dataclass(frozen=True, slots=True)
class Sample:
    """One text with its true topics."""

    name: str
    topics: frozenset[str]
    words: PageWords


@dataclass(frozen=True, slots=True)
class Row:
    """How a page classifier does at its threshold, and the best F1 that any threshold gives."""

    at: Quality
    best_f1: float


def documents(path: Path, part: str) -> list[Sample]:
    """The documents of one half, or all."""
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    wanted = {"train": {0}, "test": {1}, "all": {0, 1}}[part]
    rows = [row for row in rows if zlib.crc32(row["id"].encode()) & 1 in wanted]
    titles, bodies = words_of([row["title"] for row in rows]), words_of([row["text"] for row in rows])
    return [
        Sample(row["id"], frozenset({row["label"]}), PageWords(title=title, body=body))
        for row, title, body in zip(rows, titles, bodies, strict=True)
    ]


def web_pages(folder: Path) -> Iterator[Sample]:
    """Content pages with a topic, read as the crawler reads them."""
    web = RecordedWeb(sorted(folder.glob("*.warc.gz")))
    reader = Reader(make_page_classifier(load_topic(MAIN[0])))  # in segments too, for `evidence`
    for url, topics, _, kind in (row[:4] for row in label_rows(folder / "labels.tsv")):
        response = web.response(url) if kind == "content" and topics else None
        if response is not None:
            reading = reader.read(url, response.body, http_content_type_encoding(response.content_type))
            yield Sample(f"{url} {reading.page.title}", frozenset(topics.split(",")), reading.words)


def trained(name: str, topic: str, label: str, samples: Sequence[Sample]) -> PageClassifier:
    """A page classifier trained on these documents."""
    from topiccrawler.relevance.training import train as training

    own = load_topic(topic)
    lessons = [
        training.Sample(sample.words, label in sample.topics, next(iter(sample.topics))) for sample in samples
    ]
    words = keywords_by_label(own, {lesson.label for lesson in lessons})
    return training.fit(training.Plan(name, own, lessons, words))


def measure(
    samples: Sequence[Sample], labels: dict[str, str], page_classifiers: dict[str, PageClassifier], shown: int
) -> dict[str, Row]:
    """Each topic of `labels` against the rest; `shown` disagreements a topic are printed."""
    found = {}
    for topic, label in labels.items():
        if topic not in page_classifiers:
            continue
        page_classifier = page_classifiers[topic]
        relevances = [page_classifier.relevance(sample.words) for sample in samples]
        truths = [label in sample.topics for sample in samples]
        if not any(truths):
            continue
        best = quality(truths, relevances, best_threshold(truths, relevances)).f1
        found[topic] = Row(quality(truths, relevances, page_classifier.threshold), best)
        wrong = [n for n, truth in enumerate(truths) if truth != (relevances[n] >= page_classifier.threshold)]
        if shown:
            missed = sum(truths[n] for n in wrong)
            print(
                f"  {topic}: {missed} missed, {len(wrong) - missed} wrongly kept; {min(shown, len(wrong))} of them:"
            )
        for n in random.Random(DRAW).sample(wrong, min(shown, len(wrong))):
            words = " ".join(
                f"{word} {part:.3f}" for word, part in page_classifier.explain(samples[n].words)[:6]
            )
            print(
                f"  {topic} {relevances[n]:.3f} true {','.join(samples[n].topics)}: {samples[n].name} | {words}"
            )
    return found


def milliseconds_a_page(samples: Sequence[Sample], page_classifier: PageClassifier) -> float:
    """CPU time of one relevance with the words given."""
    started = time.process_time()
    for sample in samples:
        page_classifier.relevance(sample.words)
    return (time.process_time() - started) * 1000 / max(1, len(samples))


def show(title: str, table: dict[str, Row], main: Sequence[str]) -> float:
    """Print one table; the mean F1 of the main topics."""
    print(f"\n{title}\n{'topic':<15}{'pages':>6}{'P':>8}{'R':>8}{'F1':>8}{'best':>8}")
    for topic, row in table.items():
        print(
            f"{topic:<15}{row.at.positives:>6}{row.at.precision:>8.3f}{row.at.recall:>8.3f}{row.at.f1:>8.3f}{row.best_f1:>8.3f}"
        )
    mean = sum(table[topic].at.f1 for topic in main if topic in table) / len(main)
    print(f"mean F1 over {', '.join(main)}: {mean:.3f}")
    return mean


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--web", type=Path)
    parser.add_argument("--part", choices=("test", "train", "all"), default="test")
    parser.add_argument("--disagreements", type=int, default=0, metavar="N")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON line at the end")
    parser.add_argument(
        "--page-classifier",
        default="evidence",
        help="evidence, vsm, naive_bayes, svm, cosine:title_weight=1 …",
    )
    parser.add_argument("--trained", action="store_true", help="train on the other half first")
    parser.add_argument("--models", type=Path, help="folder of trained page classifiers")
    parser.add_argument("--classes", default="", metavar="LABEL=CODE,…", help="library classes, with --web")
    options = parser.parse_args()
    if options.trained and (
        options.part == "all" or not (options.documents or "TOPICCRAWLER_SHARED" in os.environ)
    ):
        parser.error("--trained needs --documents, and --part test or train")
    if not options.documents and not options.web:
        shared = os.environ.get("TOPICCRAWLER_SHARED")
        if not shared:
            print("judge: nothing measured; give --documents or --web, or set TOPICCRAWLER_SHARED")
            return
        options.documents, options.web = Path(shared, "links", "docs_dev.jsonl"), Path(shared, "blogs")
    result: dict[str, object] = {"page_classifier": options.page_classifier, "trained": options.trained}
    page_classifiers: dict[str, PageClassifier] = {}
    if not options.trained:
        every = options.page_classifier in {"evidence", "vsm", "cosine"}  # made of the topic alone
        names = [name for name, _ in topic_names()] if every else MAIN
        page_classifiers = {
            name: make_page_classifier(load_topic(name), options.page_classifier, options.models)
            for name in names
        }
    if options.documents:
        samples = documents(options.documents, options.part)
        lessons = documents(options.documents, "train" if options.part == "test" else "test")
        rests = {"all": lambda _: True, "topics": lambda sample: sample.topics & TOPIC_LABELS}
        for name, wanted in rests.items():
            chosen = [sample for sample in samples if wanted(sample)]
            if options.trained:
                learned = [sample for sample in lessons if wanted(sample)]
                page_classifiers = {
                    topic: trained(options.page_classifier, topic, DOCUMENT_LABELS[topic], learned)
                    for topic in MAIN
                }
            table = measure(
                chosen, DOCUMENT_LABELS, page_classifiers, options.disagreements if name == "topics" else 0
            )
            mean = show(f"documents, {options.part} part, rest = {name} ({len(chosen)})", table, MAIN)
            result[f"documents_{name}"] = figures(table, mean)
        result["milliseconds_a_page"] = round(milliseconds_a_page(samples, page_classifiers[MAIN[0]]), 4)
        print(f"relevance: {result['milliseconds_a_page']} ms CPU a document")
    if options.web and page_classifiers:
        pages = list(web_pages(options.web))
        labels = {name: WEB_LABELS.get(name, name) for name, _ in topic_names()}
        add_classes(options, labels, page_classifiers)
        table = measure(pages, labels, page_classifiers, options.disagreements)
        result["web"] = figures(
            table, show(f"content pages of {options.web.name} ({len(pages)})", table, MAIN_WEB)
        )
    if options.json:
        print(json.dumps(result))


def add_classes(
    options: argparse.Namespace, labels: dict[str, str], page_classifiers: dict[str, PageClassifier]
) -> None:
    """Those of --classes, to the labels and page classifiers by topic."""
    for label, _, code in (pair.partition("=") for pair in options.classes.split(",") if pair):
        topic = topic_of(Recipe(f"{PREFIX}{code}"))
        labels[topic.name] = label
        page_classifiers[topic.name] = make_page_classifier(topic, options.page_classifier, options.models)


def figures(table: dict[str, Row], mean: float) -> dict[str, object]:
    """The JSON of one table."""
    rows = {
        topic: {name: row.at.scores()[name] for name in ("precision", "recall", "f1")}
        for topic, row in table.items()
    }
    return {"mean_f1": round(mean, 4), "topics": rows}


if __name__ == "__main__":
    main()
