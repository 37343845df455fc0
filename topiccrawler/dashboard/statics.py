"""The dashboard's style sheet, scripts and icon, out of the package; and the switch of language."""

from __future__ import annotations

from functools import cache

from aiohttp import web

from topiccrawler.dashboard.texts import COOKIE, LANGUAGES
from topiccrawler.resources import folder

_KINDS = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "LICENSE": "text/plain",
}
FILES = (
    "dashboard.css",
    "dashboard.js",
    "icon.svg",
    "vendor/htmx.min.js",
    "vendor/htmx.LICENSE",
    "vendor/uplot.min.js",
    "vendor/uplot.min.css",
    "vendor/uplot.LICENSE",
)
_YEAR_SECONDS = 31_536_000


async def file(request: web.Request) -> web.Response:
    """`/static/NAME`."""
    name = request.match_info["name"]
    if name not in FILES:
        raise web.HTTPNotFound
    kind = _KINDS[name.rpartition(".")[2]]
    return web.Response(
        body=_body(name), content_type=kind, charset="utf-8", headers={"Cache-Control": "no-cache"}
    )


@cache
def _body(name: str) -> bytes:
    return folder("dashboard/static").joinpath(*name.split("/")).read_bytes()


async def language(request: web.Request) -> web.Response:
    """`/language`: from now on this browser gets the other one."""
    form = await request.post()
    to, back = str(form.get("to", "")), str(form.get("back", "/"))
    found = web.HTTPSeeOther(back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/")
    if to in LANGUAGES:
        found.set_cookie(COOKIE, to, max_age=_YEAR_SECONDS, httponly=True, samesite="Strict", path="/")
    raise found
