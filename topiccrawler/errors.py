"""The exceptions for errors that a user can cause, in one small tree; each message is one line: the input, what is wrong, the remedy.

    CrawlerError
    ├── ArgumentError      a spider argument, a command option or a setting
    ├── TopicError         a topic name or topic file
    ├── SeedsError         a seeds file or seed URL
    ├── StrategyError      an unknown strategy or strategy parameter
    ├── ModelError         a link model: missing, damaged, of another version or tokenizer
    ├── LinksFileError     a file of labelled links, headlines or documents
    ├── ReplayError        a recorded web (WARC)
    ├── SearchError        a search service
    └── StateError         a frontier or page store on disk

Only these are printed as a single line; any other exception is a bug in the program and keeps its traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager

MOST_CHARACTERS = 1000  # of each part of a message: a user's input may be as long as a book


class CrawlerError(Exception):
    """Base class of all errors that a user can cause. The message is one line: the input as written, what is wrong, what to do."""

    def __init__(self, what: str, fault: str, remedy: str) -> None:
        self.what, self.fault, self.remedy = (_cut(one_line(part)) for part in (what, fault, remedy))
        super().__init__(f"{self.what}: {self.fault}; {self.remedy}")


def one_line(text: object) -> str:
    """The text on one line: each run of white space, line breaks included, becomes one blank."""
    return " ".join(str(text).split())


def shortened(value: object, most: int = 60) -> str:
    """The repr of a value, cut to `most` characters, for a message."""
    return _cut(repr(value), most)


def _cut(text: str, most: int = MOST_CHARACTERS) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


class ArgumentError(CrawlerError):
    """A spider argument, a command option or a setting that cannot be used."""


class TopicError(CrawlerError):
    """An unknown topic, or a topic file that does not validate."""


class SeedsError(CrawlerError):
    """Seeds that cannot be read, or a seed that is no http(s) URL."""


class StrategyError(CrawlerError):
    """An unknown strategy, or a parameter the strategy does not have."""


class ModelError(CrawlerError):
    """A model that is missing, damaged, too large, or made by another version, tokenizer or context maker."""


class LinksFileError(CrawlerError):
    """A training file that cannot be read or holds nothing usable."""


class ReplayError(CrawlerError):
    """A recorded web that cannot be read."""


class SearchError(CrawlerError):
    """A search service that cannot be reached or whose answer is invalid."""


class StateError(CrawlerError):
    """A frontier or page store on disk that cannot be used."""


@contextmanager
def file_faults(error: type[CrawlerError], what: object, fault: str, remedy: str) -> Iterator[None]:
    """Turn an OSError in the block into an `error` with the message "`what`: `fault`: Permission denied; `remedy`", and invalid UTF-8
    into one that says so."""
    try:
        yield
    except UnicodeDecodeError:
        raise error(str(what), "is not UTF-8", "save it as UTF-8") from None
    except OSError as failure:
        raise error(str(what), f"{fault}: {failure.strerror or failure}", remedy) from None
