"""Starts a crawl from Python, in a process of its own.

The conflict: Twisted's reactor runs once in a process and wants the main thread, which in a notebook or a service belongs to another loop.
So the crawl is the very command `scrapy crawl topic`; what it finds is read from its files while it runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from topiccrawler.api.job import Job
from topiccrawler.crawling.job_files import OUTPUT
from topiccrawler.crawling.params import parse_arguments
from topiccrawler.crawling.process import job_line, start_scrapy
from topiccrawler.errors import ArgumentError, StateError, file_faults

STRATEGY = "adaptive"
_OWN_SETTINGS = {
    "TOPIC_JOB": "name",
    "TOPIC_DATA_DIR": "data",
    "JOBDIR": "name",
}  # -> the parameter that says it
_REMEDY = "name another folder: data=FOLDER"

Value = str | int | float | bool | Iterable[str]


def crawl(
    topic: str = "",
    *,
    keywords: str | Iterable[str] = (),
    seeds: str | Iterable[str] = (),
    pages: int | None = None,
    targets: int | None = None,
    data: str | os.PathLike[str] = "data",
    name: str = "",
    settings: Mapping[str, object] | None = None,
    **arguments: Value,
) -> Job:
    """Start `scrapy crawl topic`, and return at once.

    `topic`: a name or a topic file; without one `keywords` make a topic. `seeds`: URLs or a file. `pages`, `targets`: when to stop.
    `arguments`: the command's other arguments (crawling.params), lists as lists. `settings`: what `-s` would give.
    `data`, `name`: the job's folder is data/name; a job of that name goes on. Without a name it gets topic and time.
    ArgumentError for arguments that cannot be meant; what only the crawl can find wrong is raised by `Job.wait` and `Job.pages`.
    """
    given = {
        "topic": topic,
        "keywords": keywords,
        "seeds": seeds,
        "pages": pages,
        "targets": targets,
        **arguments,
    }
    words = {key: _written(value) for key, value in given.items() if value not in (None, "", (), [])}
    parse_arguments(words, topic=None, strategy=STRATEGY)
    options = _checked(settings or {})
    folder = Path(data).expanduser() / (name or f"{_stem(topic)}-{datetime.now():%Y%m%d-%H%M%S-%f}")  # noqa: DTZ005 local time is what a person looks for
    if folder.name != (name or folder.name) or folder.name in {"", ".", ".."}:
        raise ArgumentError(
            f"name={name!r}", "is no plain folder name", "use letters, digits and dashes; data=FOLDER"
        )
    line = job_line(words, {key: _written(value) for key, value in options.items()}, folder)
    with file_faults(StateError, f"folder {folder}", "cannot be written", _REMEDY):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / OUTPUT).open("ab") as log:
            return Job(folder, start_scrapy(line, log, os.environ))


def _written(value: object) -> str:
    """A value as the command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return ",".join(str(part) for part in value)
    return str(value)


def _checked(settings: Mapping[str, object]) -> dict[str, object]:
    for setting, parameter in _OWN_SETTINGS.items():
        if setting in settings:
            raise ArgumentError(
                f"settings: {setting}", "is said by a parameter", f"give {parameter}= in its place"
            )
    return {"LOG_LEVEL": "INFO", **settings}


def _stem(topic: str) -> str:
    """What the folder's name begins with."""
    return Path(topic).stem or "keywords"
