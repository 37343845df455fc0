"""What the synthetic web says: each topic's words, and the headlines and paragraphs made of them.

Words and templates lie in web.txt, the sites in sites.txt. Topics overlap where they do in life: property, technology
and games speak of money too, lottery most of all, so a finance word in a link is no proof. Headlines are of three
kinds: telling, vague (nothing of the topic) and false (words of another topic). Were all telling, any crawler could
follow them.
"""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

from topiccrawler.resources import package_text

VAGUE_SHARE = 0.14  # headlines that name nothing of their topic
FALSE_SHARE = 0.12  # headlines that borrow a word from elsewhere: others from finance, finance from others
# Of the sentences of a page, how many speak of its second theme; drawn per page.
SIDE_SHARES = (0.0, 0.0, 0.1, 0.2, 0.4)
PLAIN_SHARE = 0.1  # sentences that speak of nothing in particular
VOCABULARY_SHARE = 0.75  # of a topic's nouns that one site uses: none was learnt in full elsewhere
VAGUE_ANCHORS = ("更多", "详情", "更多>>", "[图]", "阅读全文", "查看", "点击进入", "全文", "[详细]", "组图")


class Subject(NamedTuple):
    """One topic's share of the language."""

    zh: str
    pinyin: str  # as it stands in URLs
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
# What finance is asked by: the demo's topic file. Chosen by hand, heavier when the word belongs to finance alone.
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
    """The nouns of a topic that one site uses."""
    nouns = SUBJECTS[topic].nouns
    return dice.sample(nouns, max(3, int(len(nouns) * VOCABULARY_SHARE)))


def headline(dice: Random, topic: str, nouns: list[str]) -> str:
    drawn = dice.random()
    if drawn < VAGUE_SHARE:
        return _filled(draw(dice, "vague"), dice, topic, nouns)
    if drawn < VAGUE_SHARE + FALSE_SHARE:
        other = dice.choice([t for t in TOPICS if t != FINANCE]) if topic == FINANCE else FINANCE
        return _filled(draw(dice, "false"), dice, topic, nouns, dice.choice(SUBJECTS[other].nouns))
    return _filled(draw(dice, "telling"), dice, topic, nouns)


def paragraphs(dice: Random, topic: str, nouns: list[str], sentences: int) -> list[str]:
    """`sentences` sentences in paragraphs of two to five, some of them on a second theme."""
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
