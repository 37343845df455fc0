"""Takes the pictures of the tutorial, by following its commands on the example web: `python docs/pictures.py`. Needs Chromium,
a font with Chinese characters, and requirements-dev.txt.

Writes pictures/terminal.png, dashboard.png, dashboard.zh-CN.png and report.png. harvest.svg is of benchmarks/harvest_curve.py.
"""

from __future__ import annotations

import html
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "tests" / "support")]

from browser import open_browser, running_dashboard  # noqa: E402
from PIL import Image  # noqa: E402
from written_commands import Follower, commands  # noqa: E402

PICTURES = DOCS / "pictures"
SIZE = {"width": 1000, "height": 760}
COLOURS = 32
PROMPT, MARK = "$ ", "=" * 80
TERMINAL = (
    "<body style='margin:0;padding:14px;background:#16191d;color:#d8dee4'>"
    "<pre style='margin:0;font:13px/1.5 monospace;white-space:pre-wrap'>{}</pre>"
)


def main() -> None:
    """Follow the tutorial up to its dashboard, and look."""
    with tempfile.TemporaryDirectory() as place:
        follower = Follower(Path(place, "clone"))
        try:
            shown = follow(follower)
        finally:
            follower.close()
        jobs = follower.folder / "jobs"
        with (
            running_dashboard(jobs, follower.environment, "travel") as link,
            open_browser(Path(place, "profile")) as context,
        ):
            page = context.new_page()
            page.set_viewport_size(SIZE)
            page.set_content(TERMINAL.format(html.escape(shown)))
            take(page.locator("body"), "terminal")
            page.goto((follower.folder / "report.html").as_uri())
            take(page, "report")
            page.goto(link)
            page.goto(f"{link.partition('?')[0]}jobs/travel")
            for name, other in (("dashboard", "中文"), ("dashboard.zh-CN", "")):
                page.wait_for_load_state("networkidle")
                take(page, name)
                if other:
                    page.get_by_text(other, exact=True).click()


def follow(follower: Follower) -> str:
    """Up to the dashboard; the first crawl as it stands on a terminal at its end."""
    shown = ""
    for line in commands(DOCS / "tutorial.md"):
        if line == "scrapy dashboard":
            break
        said = follower.follow(line, "y\n" * 5 if " teach " in line else "")
        if line.startswith("scrapy crawl") and not shown:
            shown = f"{PROMPT}{line}\n…\n{MARK}{said.rpartition(MARK)[2]}".replace(f"{follower.folder}/", "")
    return shown


def take(what: Any, name: str) -> None:
    """A picture of a page, or of a part of it, in a few colours: a fourth of the bytes."""
    place = PICTURES / f"{name}.png"
    what.screenshot(path=place)
    Image.open(place).convert("RGB").quantize(COLOURS).save(place, optimize=True)


if __name__ == "__main__":
    main()
