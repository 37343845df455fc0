"""The two languages: the same texts in both, and each text that a template asks for."""

import re
import string

import pytest

from topiccrawler.dashboard.job_form import FIELDS
from topiccrawler.dashboard.panels import ORDERS
from topiccrawler.dashboard.texts import CHINESE, ENGLISH, choose, key_of, texts_in
from topiccrawler.resources import folder
from topiccrawler.strategies import STRATEGIES
from topiccrawler.strategies.base import OF_ITS_PAGE, SCORE, SEED
from topiccrawler.strategies.naive_bayes import ANOTHER_MODEL

SHARES = {
    SEED,
    SCORE,
    OF_ITS_PAGE,
    ANOTHER_MODEL,
    *(share for name in STRATEGIES for share in STRATEGIES[name].share_names),
}
ASKED = re.compile(r'\bt\("(\w+)"(?! ~)')


def test_both_languages_have_the_same_texts_with_the_same_places() -> None:
    english, chinese = texts_in(ENGLISH), texts_in(CHINESE)
    only_chinese = {f"share_{key_of(name)}" for name in SHARES}  # the program's own names are English
    assert chinese._texts.keys() - english._texts.keys() == only_chinese
    assert english._texts.keys() <= chinese._texts.keys()
    for key in english._texts:
        places = [
            {name for _, name, _, _ in string.Formatter().parse(t(key)) if name} for t in (english, chinese)
        ]
        assert places[0] == places[1], key


def test_there_is_a_text_for_all_that_the_templates_ask_for() -> None:
    known = texts_in(ENGLISH)._texts.keys()
    for template in folder("dashboard/templates").iterdir():
        assert set(ASKED.findall(template.read_text(encoding="utf-8"))) <= known, template.name
    fields = {f"{kind}_{name}" for kind in ("field", "hint") for name in FIELDS}
    assert fields | {f"sites_{order}" for order in ORDERS} <= known


@pytest.mark.parametrize(
    ("cookie", "accept", "language"),
    [
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        (None, "de, en;q=0.7, zh;q=0.3", "en"),
        (None, "en;q=0.2, zh;q=0.8", "zh"),
        ("en", "zh-CN", "en"),
        ("xx", "zh", "zh"),
        (None, "", "en"),
        (None, "zh;q=much", "zh"),
    ],
)
def test_the_browser_says_which_language_it_wants_unless_its_user_has_switched(
    cookie: str | None, accept: str, language: str
) -> None:
    assert choose(cookie, accept) == language


def test_what_the_crawl_says_is_said_in_either_language() -> None:
    english, chinese = texts_in(ENGLISH), texts_in(CHINESE)
    said = "all hosts that have URLs wait, the first for 0.4 s more"
    assert english.known("standing", said) == said
    assert "0.4" in chinese.known("standing", said)
    assert chinese.known("reason", "off topic") != "off topic"
    assert (chinese.known("reason", "http 404"), chinese.known("reason", "")) == ("HTTP 404", "")
    assert chinese.known("reason", "blocked: <b>{n}") == "blocked: <b>{n}"
    assert english.known("wait", "no robots.txt: http 503") == "robots.txt cannot be read: http 503"
    assert chinese.known("wait", "unreachable: timeout") == "无法连接: 超时"
