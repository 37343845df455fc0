"""`scrapy topics teach JOB`: asks a person about pages of a job and lets its topic learn from the answers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.crawling.teaching import Lessons
    from topiccrawler.results.rating import Question
    from topiccrawler.topics.topic import Topic

QUESTIONS, A_ROUND = 20, 5


def work(command: ReportingCommand, job: str, opts: argparse.Namespace) -> None:
    """Ask, learn, keep, tell."""
    from topiccrawler.crawling.page_stores import folder_named
    from topiccrawler.crawling.teaching import lessons_of
    from topiccrawler.engine.control.client import teacher_of
    from topiccrawler.results.rating import read_answers, write_questions

    count = QUESTIONS if opts.questions is None else opts.questions
    lessons = lessons_of(folder_named(job, command.data))
    before = lessons.topic
    if opts.undo:
        changed = lessons.undo(teacher_of(lessons.folder))
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
    unknown = set(answers) - {record.url for record in lessons.records}
    known = {url: answer for url, answer in answers.items() if url not in unknown}
    if not known:
        fault = f"{len(unknown)} are about pages the job has no text of" if unknown else "there are none"
        raise ArgumentError("answers", fault, "nothing was changed")
    changed = lessons.teach(known, teacher_of(lessons.folder))
    _report(command, opts, lessons, before, changed)


def _asked(command: ReportingCommand, lessons: Lessons, count: int) -> dict[str, bool]:
    """A person's answers in the terminal; after each round the topic learns, so that the next questions are better."""
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
    chosen = questions(relevances, EVEN, asked, count)
    notes = (f"relevance {relevances[place]:.3f}, kept from {EVEN:g}" for place in chosen)
    return [Question.of(lessons.records[place], note) for place, note in zip(chosen, notes, strict=True)]


def _report(
    command: ReportingCommand, opts: argparse.Namespace, lessons: Lessons, before: Topic, changed: int
) -> None:
    from topiccrawler.crawling.assemble import TOPIC
    from topiccrawler.relevance.base import EVEN

    now, answers = lessons.topic, list(lessons.answers.values())
    kept = [sum(one >= EVEN for one in lessons.relevances(topic)) for topic in (before, now)]
    new = [word for word in now.keywords if word not in before.keywords]
    gone = [word for word in before.keywords if word not in now.keywords]
    weights = now.keywords.items()
    moved = [word for word, weight in weights if before.keywords.get(word, weight) != weight]
    found: dict[str, Any] = {"answers": len(answers), "yes": sum(answers)}
    found |= {"new": new, "gone": gone, "changed": moved}
    found |= {"kept_before": kept[0], "kept_now": kept[1], "pages": len(lessons.records)}
    found |= {"rescored": changed, "topic": str(lessons.folder / TOPIC)}
    if now.narrow:
        found |= {"trust": now.trust, "near": now.near, "against": now.against, "intercept": now.intercept}
    command.report(opts, found, command.text("taught", {**found, "now": now}))
