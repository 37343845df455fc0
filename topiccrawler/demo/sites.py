"""The sites of the synthetic web: who they are, how they write bytes and addresses, and where each topic lives on them.

It has the real web's variety: portals with channels on hosts or on paths, small topical sites, boards, blogs, old charsets.
Every site is a list of channels (host, path prefix, topic, number of articles), and all else follows from its kind and style.

Two parts that never link to each other: `train`, whose links teach a classifier, and `crawl`, where it is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from topiccrawler.demo.words import FINANCE, SUBJECTS, TOPICS

TRAIN, CRAWL = "train", "crawl"
# Lottery speaks as finance does, and is met in the crawl only.
TAUGHT = tuple(topic for topic in TOPICS if topic != "lottery")
DIRECTORY = "daohang.example"  # the seed of the crawl
TRAIN_DIRECTORY = "mulu.example"
JUMPED = "old-licai.example"  # a host that only redirects, to LICAI
LICAI = "www.qianzhuang.example"
DEAD = "www.guanting.example"  # linked from footers, answers to nobody
CALENDAR = "rili.example"
CLUB = "tongchuang.example"  # an alumni club; its members' page is one mouth of a tunnel
MIXED = "mixed"  # the topic of pages that have none of their own


@dataclass(frozen=True, slots=True)
class Channel:
    """One section of a site: pages of one topic under one prefix."""

    host: str
    prefix: str  # begins and ends with "/"
    topic: str  # MIXED: each article has its own
    name: str
    articles: int


@dataclass(frozen=True, slots=True)
class Encoding:
    """What a site's bytes are, and what it says they are."""

    codec: str  # of the bytes
    http: str | None  # what the HTTP header claims; None = it claims nothing
    meta: str  # what the page claims


UTF8 = Encoding("utf-8", "utf-8", "utf-8")
GBK = Encoding("gb18030", None, "gb2312")  # as old sites have it: declared in the page only, and too small
BIG5 = Encoding("big5", "big5", "big5")
LYING = Encoding("gb18030", "utf-8", "gbk")  # a server whose default header nobody ever changed


@dataclass(frozen=True, slots=True)
class Site:
    """One site. `kind` says what its home page is, `style` how it writes addresses."""

    host: str
    name: str
    kind: str  # directory | portal | topical | forum | blogs | newspaper | words | club | calendar | frames | refresh
    part: str = CRAWL
    channels: tuple[Channel, ...] = ()
    style: str = "plain"  # plain | dated | query | forum | blog | words | base
    encoding: Encoding = UTF8
    hidden: bool = False  # reached through a tunnel only: in no directory, no footer

    @property
    def topic(self) -> str:
        """The topic of its home page."""
        topics = {channel.topic for channel in self.channels}
        return topics.pop() if len(topics) == 1 else MIXED

    @property
    def is_old(self) -> bool:
        """Laid out in tables, as sites of the GB family's time are."""
        return self.encoding.codec == "gb18030"


# Sections of topical sites: their addresses tell nothing, those of portals tell all.
_FOLDERS = {"plain": "c", "dated": "news", "query": "s", "base": "list"}


def article(site: Site, channel: Channel, number: int, title: str) -> str:
    """The address of one article; `number` counts through the whole site."""
    host, base = f"http://{channel.host}", f"http://{channel.host}{channel.prefix}"
    styles = {
        "dated": f"{base}2019/{number % 12 + 1:02}/{number % 28 + 1:02}/{100_000 + number * 37}.shtml",
        "query": f"{base}view.php?id={1_000 + number}",
        "forum": f"{host}/thread-{2_000 + number}-1-1.html",
        "blog": f"{base}archives/{number}",
        "words": f"{host}/{quote(channel.name)}/{quote(title)}",
    }
    return styles.get(site.style, f"{base}{number}.html")


def listing(site: Site, channel: Channel, page: int) -> str:
    """The address of page `page` (from 1) of a channel's list; the first is the channel's home."""
    base = f"http://{channel.host}{quote(channel.prefix)}"
    if site.style == "forum":
        return f"http://{channel.host}/forum-{channel.prefix.strip('/b')}-{page}.html"
    further = {"dated": f"index_{page}.shtml", "query": f"?page={page}", "blog": f"page/{page}"}
    return base if page == 1 else base + further.get(site.style, f"list_{page}.html")


def _rows(text: str, width: int) -> Iterator[tuple[str, ...]]:
    return zip(*[iter(text.split())] * width, strict=True)


def _topical(
    host: str, name: str, topic: str, size: int, style: str = "plain", kind: str = "topical"
) -> Site:
    """A site about one topic: a channel of `size` articles for each of the topic's first five sections."""
    sections = enumerate(SUBJECTS[topic].sections[:5], 1)
    channels = (Channel(host, f"/{_FOLDERS[style]}{n}/", topic, section, size) for n, section in sections)
    return Site(host, name, kind, CRAWL, tuple(channels), style)


def _portal(domain: str, name: str, topics: tuple[str, ...], size: int, *, on_hosts: bool = False) -> Site:
    """A portal: one channel a topic, each on its own host or on its own path."""
    home = f"www.{domain}"
    places = [(f"{t}.{domain}", "/") if on_hosts else (home, f"/{SUBJECTS[t].pinyin}/") for t in topics]
    channels = (Channel(*place, t, SUBJECTS[t].zh, size) for place, t in zip(places, topics, strict=True))
    return Site(home, name, "portal", CRAWL, tuple(channels))


def _shared(host: str, name: str, kind: str, style: str, rows: str, articles: int) -> Site:
    """A host that many topics share: boards, blogs, clubs. Each row is `path topic name`."""
    channels = (Channel(host, prefix, topic, shown, articles) for prefix, topic, shown in _rows(rows, 3))
    return Site(host, name, kind, CRAWL, tuple(channels), style)


# Topical sites: host, name, topic, articles of each section, style.
_OFF_TOPIC = """
www.zoubian.example 走遍青山 travel 20 dated               youlv.example 悠旅攻略 travel 15 query
www.anhe.example 安禾健康网 health 19 plain                jk.baicao.example 百草堂 health 14 base
www.jingji-chang.example 绿茵场 sport 21 dated             sai.example 赛事快报 sport 15 query
www.zaotai.example 灶台美食 food 19 plain                  chihuo.example 胃口 food 15 base
www.shuyuan.example 书院教育在线 education 20 dated        kaoshi.example 考试直通车 education 17 query
www.juchang.example 剧场娱乐 entertainment 21 plain        yingshi.example 影视杂谈 entertainment 16 dated
www.chelun.example 车轮滚滚 auto 19 plain                  cheping.example 车评人 auto 15 base
www.dianliang.example 点亮科技 tech 21 dated               chip.example 硅片评论 tech 16 query
www.fuben.example 副本游戏 games 19 plain                  shouyou.example 手游日报 games 15 dated
www.moxiang.example 墨香文化 culture 18 plain              guwan.example 古玩街 culture 14 query
www.anju.example 安居房产网 property 20 dated              zhuangxiu.example 装修日记 property 15 base
www.haoyun.example 好运彩讯 lottery 14 dated               toujiang.example 头奖论坛 lottery 9 query
"""
_TRAIN_TOPICAL = """
www.caizhi.example 财智在线 finance 8 dated                jijin.example 基金早知道 finance 6 plain
www.shanshui.example 山水旅行 travel 10 plain              kangjian.example 康健指南 health 10 query
qiuchang.example 球场内外 sport 10 dated                   www.chufang.example 厨房里 food 9 plain
xuexi.example 学习者 education 9 dated                     www.guangying.example 光影周刊 entertainment 9 plain
www.lunzi.example 轮子汽车 auto 9 query                    jike.example 极客前线 tech 10 dated
www.zhujia.example 筑家网 property 10 plain
"""
_BOARDS = """
/b1/ entertainment 娱乐八卦 /b2/ auto 车友之家 /b3/ games 游戏人生 /b4/ finance 股海泛舟 /b5/ food 吃货天地 /b6/ health 健康生活
/b7/ travel 驴友同行
"""
_BLOGS = """
/laozhou/ culture 老周的书房 /mumu/ food 木木厨房 /shanren/ travel 山人行记 /a-fei/ games 阿飞打游戏 /yishi/ health 一个医生
/kaolaa/ education 考拉考研 /dazhi/ finance 大智看市 /chezhu/ auto 车主日记 /qiumi/ sport 铁杆球迷 /daima/ tech 代码与猫
/dianying/ entertainment 午夜场 /shougong/ culture 慢手工 /zufang/ property 租房十年 /jieyu/ finance 节余账本
"""
_CLUB = "/jinqi/ culture 校史钩沉 /huodong/ sport 校友球队 /xinsheng/ education 给新生的话"
# A newspaper: each of its pages mixes all topics, and its addresses tell nothing.
_NEWSPAPER = " ".join(f"/v{number}/ {MIXED} 第{number}版" for number in range(1, 9))
_WORDS = " ".join(f"/{subject.zh}/ {topic} {subject.zh}" for topic, subject in SUBJECTS.items())

_CRAWLED = (
    Site(DIRECTORY, "大全网址导航", "directory"),
    replace(_portal("yunting.example", "云汀网", TOPICS, 44, on_hosts=True), style="dated"),
    replace(_portal("beichuang.example", "北窗网", TOPICS[:10], 32), style="dated"),
    replace(_portal("nanpu.example", "南浦在线", TOPICS[:9], 27), encoding=GBK),
    *(_topical(host, name, topic, int(n), style) for host, name, topic, n, style in _rows(_OFF_TOPIC, 5)),
    _topical(LICAI, "钱庄理财", FINANCE, 10, "dated"),
    _topical("www.hongpan.example", "红盘财讯", FINANCE, 9, "query", "refresh"),
    replace(_topical("www.haixia.example", "海霞财经", FINANCE, 6), encoding=BIG5),
    replace(_topical("baoxian.example", "保险明白人", FINANCE, 7), encoding=LYING),
    replace(_topical("laogumin.example", "老股民之家", FINANCE, 5, kind="frames"), encoding=GBK),
    _shared("luntan.example", "半山论坛", "forum", "forum", _BOARDS, 27),
    _shared("boke.example", "自留地博客", "blogs", "blog", _BLOGS, 10),
    _shared("wanbao.example", "望川晚报", "newspaper", "query", _NEWSPAPER, 32),
    _shared(CLUB, "同窗会", "club", "plain", _CLUB, 10),
    _shared("cidian.example", "小词典", "words", "words", _WORDS, 12),
    Site(CALENDAR, "万年历", "calendar"),
    replace(_topical("zhouji.example", "周记", FINANCE, 5, "query"), hidden=True),
    replace(_topical("shuimian.example", "水面之下", FINANCE, 5), hidden=True),
    replace(_topical("gebi.example", "隔壁小院", FINANCE, 5, "dated"), hidden=True),
)
_TRAINED_ON = (
    Site(TRAIN_DIRECTORY, "目录网", "directory"),
    replace(_portal("changting.example", "长亭网", TAUGHT, 24, on_hosts=True), style="dated"),
    _portal("luoyuan.example", "洛原热线", TOPICS[:6], 16),
    *(_topical(host, name, topic, int(n), style) for host, name, topic, n, style in _rows(_TRAIN_TOPICAL, 5)),
)
SITES: tuple[Site, ...] = (*_CRAWLED, *(replace(site, part=TRAIN) for site in _TRAINED_ON))
# Mouth of each tunnel, a page that names the hidden hosts -> hidden hosts.
TUNNELS: dict[str, tuple[str, ...]] = {
    f"http://{CLUB}/chengyuan.html": ("zhouji.example", "shuimian.example"),
    "http://boke.example/shougong/": ("gebi.example",),
}
