"""`scrapy topics`: lists, shows, begins, learns, teaches and checks topics.

A topic decides what a crawl keeps. So its words can be read, and looked over before a crawl relies on them.
"""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError, SeedsError, TopicError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from scrapy.http import Response
    from scrapy.settings import Settings

    from topiccrawler.crawling.recipe import Recipe
    from topiccrawler.crawling.teaching import Lessons
    from topiccrawler.relevance.training.example_topic import Method, Statistics
    from topiccrawler.results.rating import Question
    from topiccrawler.seeding.answers import NoAnswerError
    from topiccrawler.seeding.example_pages import Sources, Take
    from topiccrawler.topics.kindred import Kindred
    from topiccrawler.topics.topic import Topic

PAGES_SHOWN = 20


ROWS_SHOWN = 20  # words of the thesis' tables


def learn(command: ReportingCommand, name: str, opts: argparse.Namespace) -> None:
    """The step `learn`: learn a topic from example pages, write its file, and print a report."""
    from topiccrawler.crawling.job_topic import as_toml
    from topiccrawler.relevance.training.example_topic import Examples, learn

    method = _method(opts)
    if not opts.positive:
        raise ArgumentError("learn", "has no pages about it", "name some by --positive")
    place = command.new_file(user_path(opts.out or f"{name}.toml"), opts)
    sources = _sources(command, name, opts)
    positive, negative = (list(side.values()) for side in sources.examples(opts.positive, opts.negative))
    if not positive and sources.other_labels:
        labels = ", ".join(sorted(filter(None, sources.other_labels))[:20])
        remedy = f"labels are {labels}; name one by --label"
        raise ArgumentError("--positive", f"no document is labelled {name}", remedy)
    found = learn(name, Examples(positive, negative), method, zh=opts.zh or "")
    command.write(place, as_toml(found.topic))
    counts = len(positive), len(negative)
    report = {"file": str(place), "positive": counts[0], "negative": counts[1], "faults": sources.faults}
    report |= {"keywords": len(found.topic.keywords), "threshold": found.topic.page_threshold}
    report |= {"statistics": _as_json(found.statistics), "kindred": _kin_as_json(found.kin)}
    report |= {"table": [asdict(row) for row in found.table]}
    of_both: dict[str, Any] = {
        "topic": found.topic,
        "kin": found.kin,
        "own": found.statistics,
        "place": place,
    }
    of_both |= {"rows": found.table[:ROWS_SHOWN]}
    command.report(opts, report, command.text("learn", report | of_both))


def _method(opts: argparse.Namespace) -> Method:
    from topiccrawler.relevance.training.example_topic import THESIS, Method

    given = {"words": opts.top, "near_words": opts.near}
    method = THESIS if opts.thesis else Method()
    return replace(method, **{name: number for name, number in given.items() if number is not None})


def _sources(command: ReportingCommand, name: str, opts: argparse.Namespace) -> Sources:
    from topiccrawler.addon import introduce
    from topiccrawler.seeding.example_pages import Sources
    from topiccrawler.topics.catalogue import load_topic
    from topiccrawler.topics.labelled_texts import names_of

    introduce(command.project)
    labels = {label.lower() for label in (name, opts.zh, *opts.label) if label}
    with suppress(TopicError):  # a new name is no topic of the catalogue
        labels |= names_of(load_topic(name))
    return Sources(frozenset(labels), partial(_fetch, command.project))


def _fetch(settings: Settings, urls: Sequence[str], take: Take) -> None:
    from topiccrawler.engine.fetching import fetch_all
    from topiccrawler.engine.reading import content_type
    from topiccrawler.seeding.answers import NoAnswerError

    def pass_on(url: str, found: Response | NoAnswerError) -> None:
        if isinstance(found, NoAnswerError):
            take(url, b"", "", str(found))
        else:
            fault = "" if 200 <= found.status < 300 else f"answers {found.status}"
            take(url, found.body, content_type(found), fault)

    fetch_all(settings, urls, pass_on)


def _kin_as_json(kin: Kindred | None) -> dict[str, Any] | None:
    return None if kin is None else {"topic": kin.name, "share": round(kin.share, 3)}


def _as_json(own: Statistics | None) -> dict[str, Any] | None:
    return None if own is None else asdict(own)


SHOWN = 20  # words of each kind, found by a program, that are printed without --all
LONGEST_NAME = 80  # characters; file systems refuse much longer ones
_SEPARATOR = re.compile(r"[,;\n]")


def show(command: ReportingCommand, name: str, opts: argparse.Namespace) -> None:
    """The step `show`: print a topic, found by its name, by a job or by keywords."""
    from topiccrawler.topics.contrasts import nearest
    from topiccrawler.topics.meaning import (
        as_understood,
        judging_words,
        leading_words,
        naming_terms,
        naming_words,
    )
    from topiccrawler.topics.proposed_words import reasons
    from topiccrawler.topics.seeds import seeds_of_topic
    from topiccrawler.topics.topic import token_weights

    topic = _topic(command, name)
    seeds = list[str]()
    with suppress(SeedsError):  # it has none, and no list is shipped
        seeds = seeds_of_topic(topic).positive
    more: dict[str, Any] = {
        "understood": as_understood(topic),
        "question": _kinds(command, name),
        "judging": judging_words(topic),
        "terms": naming_terms(topic),
        "leading": leading_words(topic),
        "names": naming_words(topic),
        "seeds": seeds,
        "unmatched": token_weights(topic.keywords, topic.segmenter)[1],
        "link_model": has_link_model(command, topic.name),
        "proposed": reasons(topic),
        "nearest": [[other, round(likeness, 4)] for other, likeness in nearest(topic)],
    }
    shown = {**more, "topic": topic, "most": None if opts.all else SHOWN}
    command.report(opts, topic.model_dump() | more, command.text("topic", shown))


def has_link_model(command: ReportingCommand, name: str) -> bool:
    """Whether there is a trained link model for the topic of that name."""
    from topiccrawler.link_model.model_file import model_file
    from topiccrawler.resources import folder

    given = command.setting("TOPIC_LINK_MODELS")
    return model_file(name, user_path(given) if given else folder("models")).is_file()


def _topic(command: ReportingCommand, name: str) -> Topic:
    from topiccrawler.crawling.assemble import topic_of
    from topiccrawler.crawling.job_topic import recipe_of_words
    from topiccrawler.crawling.recipe import recipe_of
    from topiccrawler.topics.catalogue import is_catalogued, load_topic, split_keywords
    from topiccrawler.topics.meaning import understood

    if is_catalogued(name):
        return load_topic(name)
    if (job := _job(command, name)) is not None:
        return topic_of(job[1])
    if not are_words(name):
        return understood(load_topic(name))
    most = command.project.getint("TOPIC_PROPOSED_WORDS")
    return topic_of(recipe_of_words(recipe_of(command.project, ""), split_keywords(name), most))


def _job(command: ReportingCommand, name: str) -> tuple[Path, Recipe] | None:
    """The folder and the recipe of a job of that name, or at that path; None when there is none."""
    from topiccrawler.crawling.job_files import read_recipe
    from topiccrawler.crawling.page_stores import homes_of

    if are_words(name) and len(name) > LONGEST_NAME:
        return None
    for folder in (user_path(name), *(home / name for home in homes_of(command.data))):
        if (recipe := read_recipe(folder)) is not None:
            return folder, recipe
    return None


def _kinds(command: ReportingCommand, name: str) -> str:
    """The question which of two kinds of pages of a job is meant; empty for one kind, and for a topic that is not shown by its job."""
    from topiccrawler.results.page_groups import kinds_of
    from topiccrawler.topics.catalogue import is_catalogued

    job = None if is_catalogued(name) else _job(command, name)
    kinds = None if job is None else kinds_of(job[0])
    return "" if kinds is None else kinds.question()


def are_words(text: str) -> bool:
    """Whether an argument that names no topic or file is meant as keywords, rather than as a name or path with a typing error."""
    from topiccrawler.topics.classification import PREFIX

    text = text.strip()
    if text.endswith(".toml") or text.lower().startswith(PREFIX):
        return False
    if _SEPARATOR.search(text):
        return True
    is_path = "/" in text or "\\" in text or Path(text).is_absolute()
    return not is_path and (not text.isascii() or len(text.split()) > 1)


QUESTIONS, A_ROUND = 20, 5


def teach(command: ReportingCommand, job: str, opts: argparse.Namespace) -> None:
    """The step `teach`: get answers about pages of a job, retrain its topic with them, and print a report."""
    from topiccrawler.crawling.page_stores import folder_named
    from topiccrawler.crawling.teaching import known_answers, lessons_of
    from topiccrawler.engine.control.client import running_in
    from topiccrawler.results.rating import read_answers, write_questions

    count = QUESTIONS if opts.questions is None else opts.questions
    lessons = lessons_of(folder_named(job, command.data))
    before = lessons.topic
    if opts.undo:
        changed = lessons.undo(running_in(lessons.folder))
        _report(command, opts, lessons, before, changed)
        return
    if not lessons.records:
        raise ArgumentError(f"job {job}", "has kept no page to ask about", "crawl some pages first")
    if opts.write_questions:
        place = user_path(opts.write_questions)
        asked = _questions(lessons, before, {}, count)
        write_questions(place, asked)
        text = f"{len(asked)} questions in {place}: write y or n, then scrapy topics teach {job} --answers {place}"
        command.report(opts, {"file": str(place), "questions": len(asked)}, text)
        return
    answers = read_answers(user_path(opts.answers)) if opts.answers else _asked(command, lessons, count)
    known, unknown = lessons.known(answers)
    changed = lessons.teach(known or known_answers(lessons, answers), running_in(lessons.folder))
    _report(command, opts, lessons, before, changed, unknown)


def _asked(command: ReportingCommand, lessons: Lessons, count: int) -> dict[str, bool]:
    """Ask a person in the terminal, and return the answers by URL. After each round the topic is retrained, so that the next questions are
    better."""
    from topiccrawler.results.rating import ask

    answers: dict[str, bool] = {}
    seen: set[str] = set()
    while len(seen) < count:
        topic = lessons.learned(answers) if answers else lessons.topic
        asked = _questions(lessons, topic, dict.fromkeys(seen, True), min(A_ROUND, count - len(seen)))
        replied = list(ask(asked, command.say, input, first=len(seen) + 1))
        answers.update((one.url, one.answer) for one in replied if one.answer is not None)
        seen |= {one.url for one in replied}
        if len(replied) < len(asked) or not asked:
            break
    return answers


def _questions(lessons: Lessons, topic: Topic, seen: dict[str, bool], count: int) -> list[Question]:
    from topiccrawler.relevance.base import EVEN
    from topiccrawler.relevance.training.teaching import questions
    from topiccrawler.results.rating import Question

    relevances = lessons.relevances(topic)
    known = lessons.answers | seen
    asked = {place for place, record in enumerate(lessons.records) if record.url in known}
    chosen = questions(relevances, EVEN, asked, count, _sure(lessons, topic, relevances, known))
    notes = (f"relevance {relevances[place]:.3f}, kept from {EVEN:g}" for place in chosen)
    return [Question.of(lessons.records[place], note) for place, note in zip(chosen, notes, strict=True)]


def _sure(lessons: Lessons, topic: Topic, relevances: Sequence[float], known: Container[str]) -> list[int]:
    """The places of a sure page of each group of kept pages, as far as the topic keeps them."""
    from topiccrawler.relevance.base import EVEN
    from topiccrawler.results.page_groups import sure_of_groups
    from topiccrawler.topics.meaning import naming_words

    surest = sorted(range(len(relevances)), key=lambda place: -relevances[place])
    kept = [lessons.records[place] for place in surest if lessons.records[place].stored]
    own = {"".join(words) for words in lessons.segmenter.words_of(naming_words(topic))}
    urls = sure_of_groups(kept, own, lessons.segmenter, known)
    places = {record.url: place for place, record in enumerate(lessons.records)}
    return [places[url] for url in urls if relevances[places[url]] >= EVEN]


def _report(
    command: ReportingCommand,
    opts: argparse.Namespace,
    lessons: Lessons,
    before: Topic,
    changed: int,
    unknown: Sequence[str] = (),
) -> None:
    from topiccrawler.crawling.job_topic import TOPIC

    now, answers, judged = lessons.topic, list(lessons.answers.values()), lessons.judged
    new = [word for word in now.keywords if word not in before.keywords]
    gone = [word for word in before.keywords if word not in now.keywords]
    weights = now.keywords.items()
    moved = [word for word, weight in weights if before.keywords.get(word, weight) != weight]
    found: dict[str, Any] = {"answers": len(answers), "yes": sum(answers)}
    found |= {"new": new, "gone": gone, "changed": moved}
    found |= {"kept_before": judged.kept_before, "kept_now": judged.kept, "pages": len(lessons.records)}
    found |= {name: getattr(judged, name) for name in ("refused", "restored", "found", "queued")}
    found["unknown"] = list(unknown)
    found |= {"rescored": changed, "topic": str(lessons.folder / TOPIC)}
    if now.narrow:
        found |= {"trust": now.trust, "near": now.near, "against": now.against, "intercept": now.intercept}
    command.report(opts, found, command.text("taught", {**found, "now": now}))


class Command(ReportingCommand):
    """The command `scrapy topics`."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        step, *names = args or ["list"]
        if step not in self.steps or self.steps[step][1] != len(names):
            self.refuse(f"cannot do {' '.join(args)!r}")
        for option, its_steps in self.description["only"].items():
            if getattr(opts, option) not in (None, False, []) and step not in its_steps:
                self.refuse(
                    f"--{option.removeprefix('library_').replace('_', '-')} is for `{'`, `'.join(its_steps)}`"
                )

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        step, *names = args or ["list"]
        self.steps[step][0](self, *names, opts)

    def _list(self, opts: argparse.Namespace) -> None:
        from topiccrawler.topics.catalogue import load_topic, topic_names

        if opts.clc is not None:
            found = _classes(opts.clc)
            shown = (f"{'  ' * depth}{line['code']:10}{line['name']}" for depth, line in found)
            self.report(opts, [line for _, line in found], "\n".join(shown))
            return
        lines = [
            {"name": topic.name, "zh": topic.zh, "also": topic.also, "keywords": len(topic.keywords)}
            | {"link_model": has_link_model(self, topic.name)}
            for topic in (load_topic(name) for name, _ in topic_names())
        ]
        self.report(opts, lines, self.text("topics", {"topics": lines}))

    def _new(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.topics.catalogue import topic_from_keywords
        from topiccrawler.topics.classification import class_of, keywords_of
        from topiccrawler.topics.topic import joined_words
        from topiccrawler.topics.topic_files import topic_file

        if not opts.keywords and not opts.library_class:
            raise ArgumentError("new", "has no words", "give --keywords 基金,定投:0.5 or --class F83")
        of_class = keywords_of(opts.library_class) if opts.library_class else {}
        own = topic_from_keywords(opts.keywords).keywords if opts.keywords else {}
        zh = opts.zh or (class_of(opts.library_class).name if opts.library_class else joined_words([*own]))
        text = topic_file(name, {**of_class, **own}, zh[:60])
        place = self.new_file(user_path(opts.out or f"{name}.toml"), opts)
        self.write(place, text)
        self.report(opts, {"file": str(place)}, f"{place}: edit it, then scrapy topics check {place}")

    def _check(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.assemble import topic_of
        from topiccrawler.crawling.recipe import Recipe
        from topiccrawler.crawling.relevances import relevances
        from topiccrawler.relevance.base import EVEN
        from topiccrawler.topics.catalogue import load_topic
        from topiccrawler.topics.proposed_words import with_proposed
        from topiccrawler.topics.topic_files import Finding, check

        findings = check(with_proposed(load_topic(name)))
        topic = topic_of(Recipe(name))
        files = [user_path(path) for path in opts.pages]
        can_read = bool(files) and all(finding.kind != "error" for finding in findings)
        pages = sorted(relevances(topic, files) if can_read else (), key=lambda page: -page[1])
        reached = sum(relevance >= EVEN for _, relevance in pages)
        if pages and not reached:
            best = f"the best of {len(pages)} pages has {pages[0][1]:.3f}"
            fault = f"no page would be kept: {best}, kept from {EVEN} (page_threshold {topic.page_threshold})"
            findings.append(Finding("warning", fault))
        lines = []
        if pages:
            what = f"pages have a relevance of {EVEN} or more and would be kept"
            lines.append(f"{reached} of {len(pages)} {what}")
            lines += [f"  {relevance:.3f}  {url}" for url, relevance in pages[:PAGES_SHOWN]]
        found: dict[str, Any] = {"topic": topic.name}
        if files:
            found |= {"threshold": EVEN, "similarity_threshold": topic.page_threshold, "reached": reached}
            found |= {"pages": [[url, round(relevance, 4)] for url, relevance in pages]}
        found |= {"findings": [[one.kind, one.text] for one in findings]}
        said = [f"{one.kind}: {one.text}" for one in findings] or ["nothing is wrong"]
        self.report(opts, found, "\n".join([*said, *lines]))
        self.exitcode = int(any(one.kind == "error" for one in findings))

    # step -> what does it, and the number of names after it
    steps: ClassVar[dict[str, tuple[Callable[..., None], int]]] = {
        "list": (_list, 0),
        "show": (show, 1),
        "new": (_new, 1),
        "check": (_check, 1),
        "learn": (learn, 1),
        "teach": (teach, 1),
    }


def _classes(wanted: str) -> list[tuple[int, dict[str, Any]]]:
    """The library classes that match a code or name (empty = the main classes), each with its depth. A single match comes with all classes
    below it."""
    from topiccrawler.topics.classification import Class, children, class_of, find

    def below(one: Class, depth: int) -> list[tuple[int, Class]]:
        return [(depth, one), *(pair for child in children(one.code) for pair in below(child, depth + 1))]

    found = find(wanted) if wanted else children()
    if not found:
        class_of(wanted)  # raises an error that names similar classes
    single = bool(wanted) and len(found) == 1
    pairs = below(found[0], 0) if single else [(0, one) for one in found]
    return [(depth, {"code": one.code, "name": one.name, "parent": one.parent}) for depth, one in pairs]
