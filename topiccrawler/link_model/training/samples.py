"""Reads labelled links: JSON lines with Link's field names (`left`/`right` for before/after) and a label.

`label` is 1, 0, null, or the name of a topic ("" = none); `fin` (1, 0, null) is read for the topic finance, before `label`.

Boilerplate words: words of links whatever they lead to. They are counted for no class.

目录, 标签, 搜索 and github stand at links of every site, so training always finds some weight for them; but it reflects
how the training sites were built, and on the next site it outweighs the other words.

But: common words that a topic needs are no boilerplate (手机, 统计, 条款, 地图), nor are a topic's own keywords
    (link_model.training.samples.boilerplate_beside). The paper's models in the evaluation table count every word.
    Figures: docs/lab/link-models.md, "Boilerplate words".

Labels links by the address of their target, without hand work.

Tens of thousands of labelled links are needed. Sites about one topic publish little else, so a link into such a site,
or into such a channel, is an example of the topic.

Idea: target under a positive URL prefix -> +; under a negative one -> -; elsewhere no label.
Formula: a prefix is a host (with all its sub-domains) or host/path; the longest prefix that holds the URL decides.
Parameters: the topic's `positive` and `negative` URL prefixes.
Reads: the URL only, neither anchor nor page. Cost: a few dictionary look-ups a link.
But: paths count too (www.sohu.com/c/8/), and a longer prefix overrules a shorter one of the other class; the
    paper knows domains only. A link such as 更多 inside a channel counts as the channel's topic.
Reference: Han et al. 2010, §3.2.2, algorithm 2.

The file of labelled links that `scrapy crawl links` writes and `scrapy train` reads.

A portal repeats its menu on a million pages, and a killed crawl may fetch a page twice. So a link counts once for its
URL and anchor; a page, a host and a site (registered domain) give at most so many; and the file itself holds all that
is needed to go on: opening it reads it again.

JSON lines with Link's field names, `context` (the maker of before and after), and `label`: 1, 0 or null.
When a page has too many links, those of smallest hash are taken, so that it is not always the menu.
Memory: 8 bytes and a set's slot a link.

Turns labelled links, headlines, documents, keywords and URL prefixes into weighted samples.

One portal's 86 000 links would outweigh the 25 000 headlines of many sites. Each source is weighted so that both classes
count the same in it, and its size is bounded; within the links, repeats and large hosts are damped.

Idea: a headline is used as an anchor and as a context; a document's title as an anchor, its sentences as contexts; a
    keyword as a short anchor and context; other topics' keywords are the negatives.
Formula: weight of a link = 1 / (times its anchor occurs on its host * (links of its host)^0.25)
    weight of one of a document's n sentences = 1/n, n at most 8
    class total of a source, both classes = share * sqrt(samples of + * samples of -), samples as they are
    shares: links 0.25, headlines 1, documents 0.5, keywords 1, URL prefixes 1; a keyword counts as 40 samples, times its
        weight over the heaviest, a prefix as 30 (ours; chosen on links of other sites: docs/lab/link-models.md)
Cost: one pass, most of it in the tokenizer.
But: the paper has one source and uses it as it is; link_model.training.train trains that model too, for its table.
    Boilerplate words are counted for no class (link_model.training.samples).
Reference: Han et al. 2010, §3.2; the weights are ours.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from topiccrawler.errors import LinksFileError, StateError, file_faults
from topiccrawler.link_model.classifier import Counts
from topiccrawler.link_model.features import (
    FIELDS,
    GROUP_2,
    Lexicon,
    LinkWords,
    channel_words,
    fields,
    words_of_links,
)
from topiccrawler.model import Link
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.text.tokenise import STOP_WORDS, with_stems
from topiccrawler.topics.labelled_texts import (
    LabelledText,
    address_in,
    bad_line,
    json_lines,
    names_of,
    text_in,
)
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import host_of, registered_domain


@dataclass(frozen=True, slots=True)
class LabelledLink:
    """A link and whether it leads to the topic; `label` is what the file calls it."""

    link: Link
    positive: bool
    label: str


def read_links(path: Path, topic: Topic, context: str) -> Iterator[LabelledLink]:
    """The labelled links of a file; links without a label are passed over."""
    names = names_of(topic)
    for row, where in json_lines(path):
        if row.get("context", context) != context:
            made_by = row["context"]
            raise bad_line(where, f"the context was made by {made_by!r}", f"train with --context {made_by}")
        positive, name = _label_of_link(row, names, topic.name, where)
        if positive is not None:
            yield LabelledLink(_link(row, where), positive, name)


def _label_of_link(
    row: dict[str, Any], names: frozenset[str], topic: str, where: str
) -> tuple[bool | None, str]:
    label = row.get("label")
    name = label.strip().lower() if isinstance(label, str) else ""
    value = row["fin"] if topic == "finance" and "fin" in row else label
    if isinstance(value, str):
        return (name in names if name else None), name
    if value is None:
        return None, name
    if value in (0, 1):
        return bool(value), name or ("+" if value else "-")
    raise bad_line(where, f"the label is {str(label)[:40]!r}", "use 1, 0, null or the name of a topic")


def _link(row: dict[str, Any], where: str) -> Link:
    url, source_url = address_in(row, "url", where), address_in(row, "source_url", where)
    return Link(
        url=url,
        host=host_of(url),
        anchor=text_in(row, "anchor", where),
        before=text_in(row, "before" if "before" in row else "left", where),
        after=text_in(row, "after" if "after" in row else "right", where),
        title=text_in(row, "title", where),
        source_url=source_url,
    )


_SITE = """
首页 主页 目录 导航 菜单 栏目 频道 列表 分类 类别 标签 归档 存档 日志 文章 正文 全文 原文 标题 摘要 简介 专栏 专题 一篇 一页 页码 翻页
返回 底部 继续 展开 收起 更多 查看 详情 详细 点击 进入 打开 关闭 跳转 阅读更多 继续阅读 置顶 最近 随机 精选 友情 友链 共计 总计 字数 次数 日期
浏览 点赞 转发 打赏 关注 投稿 更新 小编 搜索 检索 站内 关键词 关键字 输入 提交 密码 账号 帐号 用户名 联系方式 站点 站长 许可 访客 访问 访问量
"""
_LATIN = """
home index about archive archives tag tags category categories post posts article articles blog blogs page pages next prev
previous read reading more continue search menu contact login register link links site sitemap comment comments share
follow subscribe feed atom powered theme min new
github gitee hexo hugo jekyll wordpress typecho blogspot
"""

BOILERPLATE: frozenset[str] = STOP_WORDS | with_stems(f"{_SITE} {_LATIN}")


def label(url: str, topic: Topic) -> int | None:
    """1, 0, or None when neither list holds the address. A prefix in both lists counts as positive."""
    labels = _label_of_prefix(tuple(topic.positive), tuple(topic.negative))
    for prefix in _prefixes(url):
        if prefix in labels:
            return labels[prefix]
    return None


@lru_cache(maxsize=64)
def _label_of_prefix(positive: Iterable[str], negative: Iterable[str]) -> dict[str, int]:
    return {_trimmed(prefix): 0 for prefix in negative} | {_trimmed(prefix): 1 for prefix in positive}


def _trimmed(prefix: str) -> str:
    return re.sub(r"^(?:https?://)?", "", prefix.strip().lower()).rstrip("/")


def _prefixes(url: str) -> Iterator[str]:
    """Every prefix that holds `url`: longest path first on its own host, then the domains above it, nearest first."""
    try:
        parts = urlsplit(url.lower())
        port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    except ValueError:
        return
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return
    steps = [step for step in parts.path.split("/") if step]
    domain = parts.hostname + port
    while domain:
        for length in range(len(steps), -1, -1):
            yield "/".join([domain, *steps[:length]])
        domain = domain.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Caps:
    """How many links are taken at most from one page, host, site."""

    page: int = 50
    host: int = 1000
    site: int = 5000


class LinkFile:
    """Appends labelled links; opened again, it goes on where it was cut off."""

    def __init__(
        self, path: Path, topic: Topic, *, context: str, caps: Caps, unlabelled: bool = False
    ) -> None:
        self.path = path
        self.counts: Counter[int | None] = Counter()  # links by label
        self.repeated = 0
        self.capped = 0
        self._topic, self._context, self._caps, self._unlabelled = topic, context, caps, unlabelled
        self._seen: set[int] = set()
        self._hosts: Counter[str] = Counter()
        self._sites: Counter[str] = Counter()
        self._page, self._page_links = "", 0  # links come a page at a time
        self._resume()

    def add(self, links: Sequence[Link]) -> int:
        """Label the links of a page and write those that are taken. Returns how many. They survive a kill."""
        labelled = [(link, label(link.url, self._topic)) for link in links]
        wanted = {
            _digest(link): (link, known)
            for link, known in reversed(labelled)
            if (known is not None or self._unlabelled) and _says(link)
        }
        lines = []
        for key in sorted(wanted):
            link, known = wanted[key]
            if key in self._seen:
                self.repeated += 1
            elif self._full(link.source_url):
                self.capped += 1
            else:
                row = {**link._asdict(), "context": self._context, "label": known}
                lines.append(json.dumps(row, ensure_ascii=False))
                self._note(key, link.source_url, known)
        if lines:
            self._append(lines)
        return len(lines)

    def _full(self, page: str) -> bool:
        return (
            (page == self._page and self._page_links >= self._caps.page)
            or self._hosts[host_of(page)] >= self._caps.host
            or self._sites[registered_domain(page)] >= self._caps.site
        )

    def _note(self, key: int, page: str, known: int | None) -> None:
        self._seen.add(key)
        if page != self._page:
            self._page, self._page_links = page, 0
        self._page_links += 1
        self._hosts[host_of(page)] += 1
        self._sites[registered_domain(page)] += 1
        self.counts[known] += 1

    def _append(self, lines: Iterable[str]) -> None:
        text = "".join(line + "\n" for line in lines)
        with self._file_faults():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(text.encode("utf-8", "replace"))

    def _resume(self) -> None:
        """Read what an earlier run wrote; a half line at its end is cut off."""
        if not self.path.exists():
            return
        whole = 0
        with self._file_faults():
            with self.path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if not line.endswith(b"\n"):
                        break
                    self._reread(line, number)
                    whole += len(line)
            with self.path.open("ab") as file:
                file.truncate(whole)

    def _reread(self, line: bytes, number: int) -> None:
        try:
            row: dict[str, Any] = json.loads(line)
            link = Link(row["url"], row["host"], anchor=row["anchor"], source_url=row["source_url"])
            context, known = row["context"], row["label"]
        except (ValueError, KeyError, TypeError, RecursionError):
            where = f"{self.path}, line {number}"
            raise LinksFileError(where, "is no labelled link", "name another file: -a out=FILE") from None
        if context != self._context:
            fault = f"its context was made by {context!r}"
            raise LinksFileError(str(self.path), fault, f"go on with -a context={context}")
        self._note(_digest(link), link.source_url, known)

    def _file_faults(self) -> AbstractContextManager[None]:
        return file_faults(StateError, self.path, "cannot be written", "name another file: -a out=FILE")


def _says(link: Link) -> bool:
    """Is there anything to learn from?"""
    return bool(link.anchor.strip() or link.title.strip())


def _digest(link: Link) -> int:
    text = f"{link.url}\n{link.anchor}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


# "places", as model files name them: URL prefixes
SHARES = {"links": 0.25, "headlines": 1.0, "documents": 0.5, "keywords": 1.0, "places": 1.0}
HOST_DAMPING = 0.25
SENTENCES_PER_DOCUMENT = 8
SAMPLES_PER_KEYWORD = 40.0
SAMPLES_PER_PREFIX = 30.0

_CHUNK = 5_000
_SENTENCE_END = re.compile(r"[\n。！？!?]+")
_SHORTEST_SENTENCE, _LONGEST_SENTENCE = 8, 120

T = TypeVar("T")


class Progress(Protocol):
    """Walks through items and shows how far it is."""

    def __call__(self, items: Sequence[T], what: str) -> Iterable[T]: ...


def silently(items: Sequence[T], what: str) -> Iterable[T]:  # noqa: ARG001
    """Progress that shows nothing."""
    return items


@dataclass(frozen=True, slots=True)
class Sample:
    """One thing to learn from; `has` names its fields."""

    words: LinkWords
    positive: bool
    weight: float = 1.0
    host: str = ""
    has: tuple[str, ...] = FIELDS


def link_samples(
    links: Sequence[LabelledLink], segmenter: Segmenter, progress: Progress = silently
) -> list[Sample]:
    """Each link as it stands, weight 1."""
    return [
        Sample(_interned(words), item.positive, host=host_of(item.link.source_url))
        for chunk in progress(list(_chunks(links)), "links")
        for item, words in zip(chunk, words_of_links([item.link for item in chunk], segmenter), strict=True)
    ]


def headline_samples(
    headlines: Sequence[LabelledText], segmenter: Segmenter, progress: Progress = silently
) -> list[Sample]:
    """Each headline as an anchor, and as a context."""
    return [
        Sample(_interned(LinkWords(words, words, ())), item.positive, has=GROUP_2)
        for chunk in progress(list(_chunks(headlines)), "headlines")
        for item, words in zip(chunk, segmenter.words_of([item.title for item in chunk]), strict=True)
    ]


def document_samples(
    documents: Sequence[LabelledText], segmenter: Segmenter, progress: Progress = silently
) -> list[Sample]:
    """Title as anchor, first sentences as contexts."""
    found = []
    for document in progress(documents, "documents"):
        title, *sentences = segmenter.words_of([document.title, *_sentences(document.text)])
        found.append(Sample(_interned(LinkWords(title, (), ())), document.positive, has=("anchor",)))
        share = 1 / max(1, len(sentences))
        found += [
            Sample(_interned(LinkWords((), words, ())), document.positive, share, has=("context",))
            for words in sentences
        ]
    return found


def keyword_samples(topic: Topic, negative_topics: Sequence[Topic]) -> list[Sample]:
    """The topic's keywords against those of other topics that it does not share; its example texts as documents.

    A word of a phrase says less than the phrase, which is in the lexicon: of n words each counts 1/n².
    """
    heaviest = max(topic.keywords.values())
    own = [(word, True, weight / heaviest) for word, weight in topic.keywords.items()]
    others = sorted({word for other in negative_topics for word in other.keywords} - set(topic.keywords))
    found = [*own, *((word, False, 1.0) for word in others)]
    samples = [
        Sample(
            LinkWords(words, words, ()),
            positive,
            weight * SAMPLES_PER_KEYWORD / (len(words) ** 2 if is_phrase(word) else 1),
            has=GROUP_2,
        )
        for (word, positive, weight), words in zip(
            found, topic.segmenter.words_of([word for word, _, _ in found]), strict=True
        )
        if words
    ]
    texts = [LabelledText("", text, True, topic.name, "") for text in topic.examples]
    return samples + document_samples(texts, topic.segmenter)


def is_phrase(keyword: str) -> bool:
    """It has several words by its own account: electric car."""
    return len(keyword.split()) > 1


def prefix_samples(topic: Topic, negative_topics: Sequence[Topic]) -> list[Sample]:
    """The topic's URL prefixes against its negative ones and those of other topics: the words of their addresses.

    Without both classes there are no samples.
    """
    own = dict.fromkeys(topic.positive)
    others = dict.fromkeys(
        [
            *topic.negative,
            *(prefix for negative_topic in negative_topics for prefix in negative_topic.positive),
        ]
    )
    found = [(prefix, True) for prefix in own] + [(prefix, False) for prefix in others if prefix not in own]
    samples = [
        Sample(LinkWords((), (), words), positive, SAMPLES_PER_PREFIX, has=("url",))
        for prefix, positive in found
        if (words := channel_words(f"http://{prefix.rstrip('/')}/"))
    ]
    return samples if all(_sides(samples)) else []


def damped(samples: Sequence[Sample]) -> list[Sample]:
    """Links weighted so that repeats on a host, and large hosts, count less."""
    hosts = Counter(sample.host for sample in samples)
    repeats = Counter((sample.host, tuple(sample.words.anchor)) for sample in samples)
    damping = (
        repeats[sample.host, tuple(sample.words.anchor)] * hosts[sample.host] ** HOST_DAMPING
        for sample in samples
    )
    return [replace(sample, weight=sample.weight / by) for sample, by in zip(samples, damping, strict=True)]


def balanced(sources: Mapping[str, Sequence[Sample]], lexicon: Lexicon) -> Counts:
    """The counts of all sources, each with its weight."""
    counts = Counts()
    excluded = boilerplate_beside(sources.get("keywords", ()))
    for name, samples in pooled(sources).items():
        weights = [sum(one.weight for one in samples if one.positive is side) for side in (False, True)]
        sizes = weights if name in {"keywords", "places"} else _sides(samples)
        goal = SHARES[name] * (math.sqrt(sizes[0] * sizes[1]) or max(sizes))
        for sample in samples:
            add(counts, sample, lexicon, sample.weight * goal / weights[sample.positive], excluded)
        for side in (False, True):
            if not weights[side]:  # nothing is known of the other class: as large, and without a word
                counts.add(dict.fromkeys(GROUP_2, ()), side, goal)
    return counts


def pooled(sources: Mapping[str, Sequence[Sample]]) -> dict[str, list[Sample]]:
    """A source with one class only is joined to the first that has both: 16 kinds of news, none of them health."""
    whole = {name: list(found) for name, found in sources.items() if all(_sides(found))}
    home = next((name for name in ("documents", "headlines", "links", "keywords") if name in whole), None)
    if home is None:
        return {"keywords": [sample for found in sources.values() for sample in found]}
    for name, found in sources.items():
        if name not in whole:
            whole[home] += found
    return whole


def _sides(samples: Sequence[Sample]) -> list[int]:
    positive = sum(sample.positive for sample in samples)
    return [len(samples) - positive, positive]


def add(
    counts: Counts, sample: Sample, lexicon: Lexicon, weight: float, without: frozenset[str] = frozenset()
) -> None:
    """Count one sample, in the fields it has, `without` some words."""
    found = fields(sample.words, lexicon)
    counts.add({name: found[name] - without for name in sample.has}, sample.positive, weight)


def boilerplate_beside(keywords: Iterable[Sample]) -> frozenset[str]:
    """The words counted for no class: boilerplate, without the words of the topic's own keywords."""
    return BOILERPLATE.difference(*(sample.words.anchor for sample in keywords if sample.positive))


def _sentences(text: str) -> list[str]:
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    long_enough = (part[:_LONGEST_SENTENCE] for part in parts if len(part) >= _SHORTEST_SENTENCE)
    return [part for part, _ in zip(long_enough, range(SENTENCES_PER_DOCUMENT), strict=False)]


def _interned(words: LinkWords) -> LinkWords:
    """One string object a word: the vocabulary is small, the samples are many."""
    return LinkWords(*(tuple(map(intern, part)) for part in words))


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]
