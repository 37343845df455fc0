"""The Chinese Library Classification, levels 1 to 3, as a tree to browse; a class makes a topic.

Its 2 031 classes cover all that is written about, so that a user who has no words yet finds a beginning. The words of a class are
few and are book titles' words, so that others are proposed for them (topics.proposal).
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache

from topiccrawler.errors import TopicError
from topiccrawler.resources import folder
from topiccrawler.text.tokenise import words_of
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic, make_topic

PREFIX = "clc:"
FILE = "clc.tsv"
OF_CHILDREN = 0.5  # weight of words from the names of a class's children
LONGEST_WHOLE = 4  # characters; longer parts of a name seldom occur as they are, their words do

# Words of classes everywhere: they say nothing of a page.
_GENERIC = """
总论 理论 其他 其它 概论 概况 一般 一般性 问题 一般性问题 一般理论 方法 方法论 研究 研究方法 工作 工作方法 发展 现状 组织 会议 团体
设备 技术 应用 综合 利用 综合利用 防治 阐述 政策 资料 统计 统计方法 文集 选集 全集 论文集 丛书 年鉴 年刊 手册 辞典 词典 读物 普及读物 杂著 语录
专题汇编 单行著作 连续出版物 连续性出版物 工具书 参考工具书 类书 百科全书 书信集 书信 日记 函电 谈话 手迹 专利 标准 创造发明 先进经验 各国 世界 中国 亚洲
非洲 欧洲 美洲 大洋洲 各种 各类 特殊 具体 基础 基本 原理 历史 学说 学派 流派 分析 评论 评价 设计 制造 生产 管理 实验 试验 结构 功能 材料 科学 其他科学
其他科学的关系 其他学科的关系 学科 关系 按内容分 按题材分 专门 专题 部分 公元 公元前 时期 时代 以前 以后
"""
GENERIC = frozenset(_GENERIC.split())
_PARTS = re.compile(
    r"[、，,；;：:。·（）()\[\]〔〕{}《》“”/~\-\d]|(?<![普埃])及其?|(?<!共)和其?(?!国|平)|与其?(?!会)"
)


@dataclass(frozen=True, slots=True)
class Class:
    """One class: its code (F83), its name, its level 1 to 3, the code of the class above it ("" at the top)."""

    code: str
    name: str
    level: int
    parent: str


def classes() -> tuple[Class, ...]:
    """Every class, each after the one above it."""
    return tuple(_by_code().values())


def children(code: str = "") -> list[Class]:
    """The classes directly below the class of that code; without a code those at the top."""
    above = class_of(code).code if code else ""
    return [one for one in classes() if one.parent == above]


def class_of(code: str) -> Class:
    """The class of that code, in letters of either case; TopicError when there is none."""
    wanted = code.strip().upper()
    if found := _by_code().get(wanted):
        return found
    longest = next((wanted[:end] for end in range(len(wanted), 0, -1) if wanted[:end] in _by_code()), "")
    like = [one for one in difflib.get_close_matches(wanted, _by_code(), n=3, cutoff=0.5) if one != longest]
    near = [longest, *(one for one in like if one[0] == longest[0])] if longest else like
    shown = ", ".join(f"{one} ({_by_code()[one].name})" for one in near)
    hint = f"near it are {shown}; " if near else ""
    remedy = f"{hint}scrapy topics list --clc CODE shows what lies below a class"
    raise TopicError(f"class {code.strip()!r}", "is not in the Chinese Library Classification", remedy)


def find(text: str) -> list[Class]:
    """The class of that code, or those with the text in their name, those named so alone first."""
    wanted = text.strip()
    if not wanted:
        return []
    if found := _by_code().get(wanted.upper()):
        return [found]
    held = [one for one in classes() if wanted in one.name]
    return sorted(held, key=lambda one: (wanted not in _PARTS.split(one.name), one.level))


def keywords_of(code: str) -> dict[str, float]:
    """The words of a class's name with weight 1, those of its children's names with OF_CHILDREN.

    A long part of a name counts whole, and its words count half. A class that is named by general words alone (general works,
    yearbooks) has those of the class above it.
    """
    own = class_of(code)
    found = _words(own.name)
    for child in children(own.code):
        for word, weight in _words(child.name).items():
            found[word] = max(found.get(word, 0.0), weight * OF_CHILDREN)
    if not found and own.parent and all(part in GENERIC for part in _parts(own.name)):
        return _words(class_of(own.parent).name)
    return found


def topic_of_class(code: str) -> Topic:
    """A topic made of a class's words, named after its code: clc-f83."""
    own = class_of(code)
    keywords = keywords_of(own.code)
    if not keywords:
        fault = f"has no word of two characters that tells ({own.name})"
        raise TopicError(f"class {own.code}", fault, "take the class above it, or one below it")
    slug = re.sub(r"[^a-z0-9]+", "-", own.code.lower()).strip("-")
    fields = {
        "name": f"clc-{slug}",
        "zh": own.name[:60],
        "keywords": keywords,
        "proposed_words": PROPOSED_WORDS,
    }
    return make_topic(fields, f"class {own.code}")


def _parts(name: str) -> list[str]:
    return [part for part in map(str.strip, _PARTS.split(name)) if part]


def _words(name: str) -> dict[str, float]:
    parts = [part for part in _parts(name) if len(part) > 1 and part not in GENERIC]
    found = dict.fromkeys(parts, 1.0)
    long = [part for part in parts if len(part) > LONGEST_WHOLE]
    for words in words_of(long):
        for word in words:
            if len(word) > 1 and word not in GENERIC:
                found.setdefault(word, 0.5)
    return found


@cache
def _by_code() -> dict[str, Class]:
    lines = folder("topics").joinpath(FILE).read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:])
    return {code.upper(): Class(code, name, int(level), parent) for code, name, level, parent in rows}
