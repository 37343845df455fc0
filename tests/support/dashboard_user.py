"""What a person does with the dashboard in a browser, and what is seen then."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.dashboard.job_form import FIELDS
from topiccrawler.dashboard.starting import ORDER
from topiccrawler.dashboard.texts import texts_in
from topiccrawler.engine.control.client import ask, orders
from topiccrawler.lab.demo.crawls import DemoFiles
from topiccrawler.lab.demo.server import RunningServer

JOB, HOSTILE = "from-the-form", "hostile"
PAUSED_FOR = 3  # status events, one a second
LOOK_MS = 100  # between two looks at a page that changes; a browser would look at each frame it draws


TYPED = {"keywords": "基金", "seeds": "http://a.example/", "until": "2"}


@dataclass
class Seen:
    """What became of it."""

    values: dict[str, Any] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)  # of the browser's console

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def filled_by_keyboard(page: Any, seen: Seen) -> None:
    """The form without a mouse: each field is reached by Tab, and Enter sends it."""
    page.get_by_role("link", name="New job").first.press("Enter")
    reached: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()")
        if name == "Start":
            break
        if name == texts_in("en")("form_more"):
            page.keyboard.press("Enter")  # unfolds the others
        reached.append(name)
        if name == "strategy":
            page.keyboard.press("ArrowDown")
        elif name in TYPED:
            page.keyboard.type(TYPED[name])
    seen.values["reached"] = [name for name in reached if name in FIELDS]
    page.keyboard.press("Enter")
    page.wait_for_selector("#fault-until")
    seen.values["typed"] = {
        name: page.locator(f'[name="{name}"]').input_value() for name in ("strategy", *TYPED)
    }
    seen.values["typed fault"] = page.locator("#fault-until").inner_text()
    seen.values["focus after faults"] = page.evaluate("document.activeElement.name")


def taught(page: Any, seen: Seen) -> None:
    """Yes and no by the keyboard, while the crawl runs."""
    page.reload()
    page.locator("#teach input[type=radio]").first.focus()
    page.keyboard.press("Space")
    for key in ("Tab", "Tab", "ArrowRight"):  # past the next page's link to its answers: the second is no
        page.keyboard.press(key)
    seen.values["checked"] = page.locator("#teach input:checked").evaluate_all(
        "all => all.map((one) => one.value)"
    )
    page.get_by_role("button", name="Teach").press("Enter")
    page.wait_for_selector("#teach-said")
    seen.values["taught"] = page.locator("#teach-said").inner_text()


def started(page: Any, files: DemoFiles, seen: Seen) -> None:
    page.get_by_role("link", name="New job").first.click()
    page.get_by_label("Topic", exact=True).fill(str(files.topic))
    page.get_by_label("Seeds").fill(files.seeds.read_text(encoding="utf-8"))
    page.locator("#more > summary").click()
    page.get_by_label("Strategy", exact=True).select_option("naive_bayes")
    page.get_by_label("Pages", exact=True).fill("many")
    page.get_by_label("Name of the job").fill(JOB)
    page.get_by_label("Settings").fill("DOWNLOAD_DELAY=3\nTOPIC_LINK_MODELS=none")
    page.get_by_role("button", name="Start").click()
    seen.values["refused"] = page.locator("#fault-pages").inner_text()
    seen.values["kept"] = page.get_by_label("Settings").input_value()
    seen.complaints.clear()  # the browser notes the refusal's status
    page.get_by_label("Pages", exact=True).fill("100000")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("[data-state-badge].running")
    seen.values["figures"] = [figure_moves(page, name) for name in ("pages", "pages", "queued")]
    page.wait_for_selector("#curve canvas")
    seen.values["next"] = page.locator(".queue > li").first.inner_text()
    seen.values["path"] = page.locator(".queue > li").first.locator(".path li").count()


def figure_moves(page: Any, name: str) -> tuple[str, str]:
    """A figure before and after it changed."""
    place = f'[data-figure="{name}"]'
    before = page.locator(place).inner_text()
    page.wait_for_function(
        "([place, before]) => document.querySelector(place).textContent !== before",
        arg=[place, before],
        polling=LOOK_MS,
    )
    return before, page.locator(place).inner_text()


def paused(page: Any, job: Path, web: RunningServer, seen: Seen) -> None:
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector("[data-state-badge].paused")
    while (found := ask(job, "status"))["in_flight"] != found["held_back"]:
        pass
    began = next(order["time"] for order in orders(job) if order["verb"] == "pause")
    page.evaluate(
        "window.events = 0; new EventSource(location.pathname + '/events').addEventListener('figures', () => events++)"
    )
    page.wait_for_function("(number) => events >= number", arg=PAUSED_FOR, polling=LOOK_MS)
    seen.values["last"] = web.requests[-1].time - began
    seen.values["focus"] = page.evaluate("document.activeElement.textContent")


def changed(page: Any, seen: Seen) -> None:
    page.locator("#change > summary").focus()
    page.keyboard.press("Enter")
    said = page.locator("#change-said p")
    page.locator('select[name="name"]').select_option("link_threshold")
    setting, blocking = page.locator("#change form").all()
    setting.get_by_label("Value").fill("0.99")
    for button, word in (("Preview", "would be"), ("Set", "is 0.99")):
        setting.get_by_role("button", name=button).click()
        page.wait_for_function(
            "(word) => document.querySelector('#change-said').textContent.includes(word)",
            arg=word,
            polling=LOOK_MS,
        )
        seen.values[button] = said.inner_text()
    setting.get_by_label("Value").fill("-1")
    setting.get_by_role("button", name="Set").click()
    page.wait_for_selector("#change-said .fault")
    seen.values["fault"] = page.locator("#change-said .fault").inner_text()
    blocking.get_by_label("Value").fill("http://*")
    blocking.get_by_role("button", name="Preview").click()
    page.wait_for_function("() => document.querySelector('#change-said').textContent.includes('Would drop')")
    seen.values["block"] = said.inner_text()
    setting.get_by_label("Value").fill("0")
    setting.get_by_role("button", name="Set").click()
    page.wait_for_function("() => document.querySelector('#change-said').textContent.includes('is 0,')")


def stopped(page: Any) -> None:
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("[data-state-badge].ended")


def gone_on(page: Any, job: Path, seen: Seen) -> None:
    before = len(list(visits_of(job)))
    (job / ORDER).unlink()  # as if its command had been typed
    page.reload()
    page.get_by_label("Pages at most").fill("100000")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_selector("[data-state-badge].running")
    figure_moves(page, "pages")
    seen.values["gone on"] = before, ask(job, "status")["pages"]


def searched(page: Any, seen: Seen) -> None:
    page.get_by_role("link", name="Search").first.click()
    page.get_by_role("searchbox").fill("基金")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits mark")
    page.locator(f'.hits a[href^="/jobs/{JOB}/page"]').first.click()
    why = page.get_by_role("region", name="Why was this kept?")
    seen.values["why"] = why.inner_text()
    seen.values["words"] = why.locator("tbody tr").count()
    seen.values["way"] = why.locator("ol.path > li").count()


def looked_over(page: Any, base: str, seen: Seen) -> None:
    """Every page in both widths and languages: what sticks out, what has no name, what the hostile job did."""
    seed = "http%3A%2F%2Fa.example%2F"
    paths = ["", "new", "search?q=%E5%9F%BA%E9%87%91", *(f"jobs/{name}" for name in (JOB, HOSTILE))]
    paths += [f"jobs/{HOSTILE}/{path}" for path in ("pages", f"page?url={seed}", "sites", "queue", "outcomes", "urls?state=error&reason=http+404")]  # fmt: skip
    paths += [f"jobs/{name}/teach" for name in (JOB, HOSTILE)]
    paths += [f"jobs/{JOB}/{path}" for path in ("pages", "sites?order=new", "queue", "outcomes", "log")]
    looks = seen.values["looks"] = {}
    for width, scheme in ((390, "dark"), (1600, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.locator(".languages button").click()
        for path in paths:
            status = page.goto(base + path).status
            looks[width, path] = {"status": status, **page.evaluate(LOOK)}
    seen.values["hrefs"] = page.evaluate("[...document.querySelectorAll('a')].map((a) => a.protocol)")


LOOK = """() => ({
  sticksOut: document.documentElement.scrollWidth > innerWidth,
  headings: document.querySelectorAll('h1').length,
  language: document.documentElement.lang,
  ground: getComputedStyle(document.body).backgroundColor,
  nameless: [...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter((one) => !one.labels.length).length,
  links: [...document.querySelectorAll('main a[href]')].filter((a) => !['http:', 'https:'].includes(a.protocol)).length,
  outside: [...document.querySelectorAll('a[href]')].filter((a) => a.origin !== location.origin && !/noreferrer/.test(a.rel)).length,
  longest: Math.max(...[...document.querySelectorAll('h1, h2, a, td, th')].map((one) => one.textContent.length)),
  broken: window.broken === 1 || document.querySelectorAll('main script, main img').length > 0,
})"""
