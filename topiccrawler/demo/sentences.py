"""Puts words together: headlines, link texts, paragraphs.

Three kinds of headlines are drawn: telling, dull (nothing of the topic) and false (words of another topic). Were all telling,
any crawler could follow them.
"""

from __future__ import annotations

from random import Random

from topiccrawler.demo.words import FINANCE, SUBJECTS, TOPICS

DULL_SHARE = 0.14  # headlines that name nothing of their topic
FALSE_SHARE = 0.12  # headlines that borrow a word from elsewhere: others from finance, finance from others
# Of the sentences of a page, how many speak of its second theme; drawn per page.
SIDE_SHARES = (0.0, 0.0, 0.1, 0.2, 0.4)
PLAIN_SHARE = 0.1  # sentences that speak of nothing in particular

DULL_ANCHORS = ("更多", "详情", "更多>>", "[图]", "阅读全文", "查看", "点击进入", "全文", "[详细]", "组图")

# Lists that luck chooses from. In templates: n, m, k nouns; v, u doings; p a place; w a person; c a firm; t a time; q, a
# numbers; f a word of another topic.
_TABLE = """
* surnames 沈 顾 陆 秦 苏 谢 罗 韩 严 方 裴 温 柳 欧阳 司徒
* given 清远 若水 知行 子衿 怀瑾 之遥 一鸣 晚晴 望舒 守拙 砚秋 书白 以安 念北 长庚
* places 云泽 青梧 临澜 望川 北溟 南浦 松陵 鹤岭 安渡 白沙湾 东篱 西樵口 石桥 沧浦 锦溪
* firms 恒岳 启澜 云梧 和川 泰合源 万栖 鼎邻 星渡 嘉禾里 远图 博川 瑞汀 中澜 广禾
* firm_ends 集团 股份 公司 控股 实业 工作室 研究院
* times 今年 去年 上半年 三季度 近日 本周 周末 国庆 年底 五年来 上月
* telling
{n}{v}：{m}怎么看 {p}{n}{v} {w}：{n}不能只看{m} {c}{t}{n}{v} 一文读懂{n}与{m} {n}的{q}个误区，你中了几个 {t}{n}{v}，{m}{u}
{p}{t}{n}观察：{m}{u} {n}、{m}、{k}：{t}三件大事 {n}入门{q}讲（{a}）：从{m}说起 为什么{n}总与{m}有关？ {w}谈{n} {n}{v} [{n}]{m}{u}
{m}还是{k}？{p}人这样选 深度|{n}这{q}年
* dull
这一天，他们等了{q}年 {p}的{q}个瞬间 写在{t} 听{w}讲过去的事 大家都在问的{q}个问题 {w}：慢一点，也没关系 一封来自{p}的信
{t}，我们一起走过 她说的那句话，我记了{q}年 {p}来了个年轻人 看完这{q}条再决定 本期话题：你怎么看？
* false
{n}带火“{f}”：{p}来了新热闹 {f}热了，{n}也跟着热 从{n}看{f} {w}谈{n}：别把它当成{f} {c}做{n}，为何先谈{f} {n}里的{f}课
{f}之外，{p}人更在意{n}
* sentences
{p}{t}的消息说，{n}{v}，{m}也跟着有了变化。 “{n}的关键在于{m}。”{w}说，“急不得。”
据{c}介绍，{n}与{m}的关系比许多人想的更近；不过，{k}还要再看一看。 在第{q}届{p}论坛上，{w}谈到了{n}、{m}和{k}。
{t}，{n}{v}，这与{m}不无关系。 有人问：{n}和{m}，哪一个更要紧？答案并不简单。
记者在{p}看到，关心{n}的人比往年多了{q}成，其中一半人提到了{m}。 {w}把{n}、{m}、{k}列成一张表，一项一项地比较。
从数字看，{n}{t}{u}，{m}占到百分之{q}。 说到{n}，绕不开{m}；说到{m}，又绕不开{k}。 {c}的{w}认为：先弄懂{n}，再谈{m}。
与{p}相比，这里的{n}更平稳，{m}{v}的情形不多见。 需要提醒的是，{n}不等于{m}，{k}也一样。 {t}以来，围绕{n}的讨论从{m}转到了{k}。
* plain
天气转凉，路上的人也少了一些。 {w}笑了笑，没有再说下去。 这件事在{p}传开以后，许多人打来电话。 他在{p}住了{q}年，对这里很熟。
“以后的事，以后再说。”{w}这样回答。 为了这篇稿子，我们跑了{q}个地方。 {t}，{p}下了一场雨。
"""
_LISTS = {name: found for name, *found in (part.split() for part in _TABLE.split("* ")[1:])}


def person(dice: Random) -> str:
    return dice.choice(_LISTS["surnames"]) + dice.choice(_LISTS["given"])


def place(dice: Random) -> str:
    return dice.choice(_LISTS["places"])


def _fill(template: str, dice: Random, nouns: list[str], topic: str, borrowed: str = "") -> str:
    doings = SUBJECTS[topic].doings
    drawn = [*dice.sample(nouns, 3), dice.choice(doings), dice.choice(doings), place(dice), person(dice)]
    drawn.append(dice.choice(_LISTS["firms"]) + dice.choice(_LISTS["firm_ends"]))
    drawn += [dice.choice(_LISTS["times"]), str(dice.randint(2, 9)), dice.choice("一二三四五六"), borrowed]
    return template.format_map(dict(zip("nmkvupwctqaf", drawn, strict=True)))


def vocabulary(dice: Random, topic: str, share: float = 0.75) -> list[str]:
    """The part of a topic's nouns that one site uses: what was learnt on other sites never covers all of it."""
    nouns = SUBJECTS[topic].nouns
    return dice.sample(nouns, max(3, int(len(nouns) * share)))


def headline(dice: Random, topic: str, nouns: list[str]) -> str:
    drawn = dice.random()
    if drawn < DULL_SHARE:
        return _fill(dice.choice(_LISTS["dull"]), dice, nouns, topic)
    if drawn < DULL_SHARE + FALSE_SHARE:
        other = dice.choice([t for t in TOPICS if t != FINANCE]) if topic == FINANCE else FINANCE
        return _fill(dice.choice(_LISTS["false"]), dice, nouns, topic, dice.choice(SUBJECTS[other].nouns))
    return _fill(dice.choice(_LISTS["telling"]), dice, nouns, topic)


def _sentence(dice: Random, topic: str, nouns: list[str], side: str, side_share: float) -> str:
    drawn = dice.random()
    kind = "plain" if drawn < PLAIN_SHARE else "sentences"
    if PLAIN_SHARE <= drawn < PLAIN_SHARE + side_share:
        nouns, topic = list(SUBJECTS[side].nouns), side
    return _fill(dice.choice(_LISTS[kind]), dice, nouns, topic)


def paragraphs(dice: Random, topic: str, nouns: list[str], sentences: int) -> list[str]:
    """`sentences` sentences in paragraphs of two to five, some of them on a second theme."""
    side, side_share = dice.choice(TOPICS), dice.choice(SIDE_SHARES)
    result = []
    while sentences > 0:
        size = min(sentences, dice.randint(2, 5))
        result.append("".join(_sentence(dice, topic, nouns, side, side_share) for _ in range(size)))
        sentences -= size
    return result
