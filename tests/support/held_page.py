"""A page whose answer a test delays, so that a crawl waits at a known point."""

import threading

PATIENCE = 60.0  # seconds, then the test fails


class Door:
    """A robots.txt of a drawn web that is answered when the test opens it."""

    def __init__(self) -> None:
        self._asked, self._opened = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self._asked.set()
        assert self._opened.wait(PATIENCE)
        return "User-agent: *\nDisallow:\n"

    def wait_for_knock(self) -> None:
        """Until the crawl asks for it."""
        assert self._asked.wait(PATIENCE)

    def open(self) -> None:
        """Answer, now and from now on."""
        self._opened.set()
