"""A web service that crawls on demand: GET /crawl?keywords=…&seeds=…&pages=N answers with a line of JSON a page, as each is kept.

    python examples/crawl_service.py PORT [NAME=VALUE …]

It listens on this machine only. A client that goes away ends its crawl.
"""

import json
import os
import sys
from functools import partial

# Of aiohttp's two parsers the one in C refuses a URL with raw Chinese in it, as people type it.
os.environ.setdefault("AIOHTTP_NO_EXTENSIONS", "1")
from aiohttp import web

from topiccrawler import crawl
from topiccrawler.errors import CrawlerError


async def answer(request: web.Request) -> web.StreamResponse:
    try:
        job = crawl(**request.query, settings=request.app[SETTINGS])
    except CrawlerError as error:
        raise web.HTTPBadRequest(text=str(error)) from None
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson; charset=utf-8"})
    try:
        await response.prepare(request)
        async for page in job.pages_async():
            line = {"url": page.url, "title": page.title, "relevance": round(page.relevance, 3)}
            await response.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    except CrawlerError as error:
        await response.write(json.dumps({"error": str(error)}, ensure_ascii=False).encode() + b"\n")
    finally:
        await job.stop_async()
    return response


SETTINGS = web.AppKey("settings", dict[str, str])


def main() -> None:
    port, *settings = sys.argv[1:]
    app = web.Application()
    app[SETTINGS] = dict(setting.split("=", 1) for setting in settings)
    app.router.add_get("/crawl", answer)
    said = partial(print, flush=True)  # into a pipe or a log, too
    web.run_app(app, host="127.0.0.1", port=int(port), handler_cancellation=True, print=said)


if __name__ == "__main__":
    main()
