"""Generates the texts of the synthetic web: headlines and paragraphs from the words of each topic.

Words and templates are in web.txt, the sites in sites.txt. Topics overlap as in reality: property, technology and games
mention money too, lottery most of all, so a finance word in a link proves nothing. There are three kinds of headlines:
telling, vague (without words of the topic) and false (with words of another topic). If all were telling, any crawler could
follow them.
"""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

from topiccrawler.resources import package_text

VAGUE_SHARE = 0.14  # headlines without words of their topic
FALSE_SHARE = 0.12  # headlines with a word of another topic: of finance on other pages, of other topics on finance pages
# Shares of a page's sentences that are about its second topic; one is drawn for each page.
SIDE_SHARES = (0.0, 0.0, 0.1, 0.2, 0.4)
PLAIN_SHARE = 0.1  # sentences without any topic
VOCABULARY_SHARE = 0.75  # of a topic's nouns that one site uses, so that no other site teaches all of them
VAGUE_ANCHORS = ("更多", "详情", "更多>>", "[图]", "阅读全文", "查看", "点击进入", "全文", "[详细]", "组图")


class Subject(NamedTuple):
    """The name and the words of one topic."""

    zh: str
    pinyin: str  # its name in URLs
    sections: tuple[str, ...]
    nouns: tuple[str, ...]
    predicates: tuple[str, ...]


SUBJECTS: dict[str, Subject] = {}
LISTS: dict[str, tuple[str, ...]] = {}
_TEXT = re.sub(r"(?m)^#.*\n", "", package_text("lab/demo/web.txt"))
for _row in f"\n{_TEXT}".split("\n* ")[1:]:
    _names, *_parts = (tuple(part.split()) for part in re.split(r"\s/\s", _row))
    if _parts:
        SUBJECTS[_names[0]] = Subject(_names[1], _names[2], *_parts)
    else:
        LISTS[_names[0]] = _names[1:]
TOPICS = tuple(SUBJECTS)
FINANCE = "finance"
# The keywords of the demo's topic file by weight, chosen by hand; words that belong to finance alone weigh more.
_KEYWORDS = {
    1.0: "股票 基金 证券 债券 期货 外汇 投资者 股市 理财产品 净利润 收益率 汇率",
    0.8: "大盘 板块 个股 券商 财报 定投 净值 国债 央行 降息 通胀 保费 上市公司 资产配置 指数基金",
    0.6: "银行 保险 利率 存款 人民币 美元 黄金 原油 市盈率 分红 新股 牛市 熊市 私募 公募 营收",
    0.3: "贷款 风险 融资 监管 估值 并购 投资 信用卡 税收 财政",
}
FINANCE_KEYWORDS = {word: weight for weight, words in _KEYWORDS.items() for word in words.split()}


def draw(dice: Random, *lists: str) -> str:
    """One entry of each list, joined: draw(dice, "surnames", "given") is a person's name."""
    return "".join(dice.choice(LISTS[name]) for name in lists)


def vocabulary(dice: Random, topic: str) -> list[str]:
    """A random selection of the nouns of a topic, which one site uses."""
    nouns = SUBJECTS[topic].nouns
    return dice.sample(nouns, max(3, int(len(nouns) * VOCABULARY_SHARE)))


def headline(dice: Random, topic: str, nouns: list[str]) -> str:
    """A random headline of a page about a topic: telling, vague or false. `nouns`: those that its site uses."""
    drawn = dice.random()
    if drawn < VAGUE_SHARE:
        return _filled(draw(dice, "vague"), dice, topic, nouns)
    if drawn < VAGUE_SHARE + FALSE_SHARE:
        other = dice.choice([t for t in TOPICS if t != FINANCE]) if topic == FINANCE else FINANCE
        return _filled(draw(dice, "false"), dice, topic, nouns, dice.choice(SUBJECTS[other].nouns))
    return _filled(draw(dice, "telling"), dice, topic, nouns)


def paragraphs(dice: Random, topic: str, nouns: list[str], sentences: int) -> list[str]:
    """`sentences` sentences in paragraphs of two to five, some of them about a second topic."""
    side, side_share = dice.choice(TOPICS), dice.choice(SIDE_SHARES)

    def sentence() -> str:
        drawn = dice.random()
        if PLAIN_SHARE <= drawn < PLAIN_SHARE + side_share:
            return _filled(draw(dice, "sentences"), dice, side, list(SUBJECTS[side].nouns))
        return _filled(draw(dice, "plain" if drawn < PLAIN_SHARE else "sentences"), dice, topic, nouns)

    result = []
    while sentences > 0:
        size = min(sentences, dice.randint(2, 5))
        result.append("".join(sentence() for _ in range(size)))
        sentences -= size
    return result


def _filled(template: str, dice: Random, topic: str, nouns: list[str], borrowed: str = "") -> str:
    predicates = SUBJECTS[topic].predicates
    drawn = [*dice.sample(nouns, 3), dice.choice(predicates), dice.choice(predicates), draw(dice, "places")]
    drawn += [draw(dice, *names) for names in (("surnames", "given"), ("firms", "firm_ends"), ("times",))]
    drawn += [str(dice.randint(2, 9)), dice.choice("一二三四五六"), borrowed]
    return template.format_map(dict(zip("nmkvupwctqaf", drawn, strict=True)))
