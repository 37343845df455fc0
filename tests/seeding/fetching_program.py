"""Fetches or checks URLs as the commands do, in a process of its own: `fetching_program.py '{"urls": […], …}'` prints JSON.

`check`: only ask whether they can be fetched. `settings`: as by -s. `trusted`: hosts that may be private. `inside`: names of a network that
resolve to this machine.
"""

import json
import socket
import sys
from typing import Any

from scrapy.utils.project import get_project_settings

from topiccrawler.engine.fetching import fetch_all, run
from topiccrawler.seeding.answers import Fetch, NoAnswerError
from topiccrawler.seeding.reachability import faults


def main(urls: list[str], check: bool, settings: dict[str, Any], trusted: list[str], inside: str) -> None:
    resolve = socket.gethostbyname
    socket.gethostbyname = lambda name: "127.0.0.1" if inside and name.endswith(inside) else resolve(name)
    project = get_project_settings()
    project.setdict({"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, **settings}, "cmdline")
    if check:

        async def work(fetch: Fetch) -> dict[str, str]:
            return await faults(fetch, urls)

        found: dict[str, Any] = run(project, work, trusted, RETRY_ENABLED=False)
    else:
        found = {}
        fetch_all(
            project,
            urls,
            lambda url, answer: found.update(
                {
                    url: str(answer)
                    if isinstance(answer, NoAnswerError)
                    else [answer.status, answer.text[:100]]
                }
            ),
        )
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
