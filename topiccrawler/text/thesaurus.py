"""What a thesaurus is to those who ask it: the similarity of two words in meaning.

Kinds: text.thesaurus (a file of codes), text.thesaurus (a file of a WordNet), text.thesaurus (the shipped word vectors);
text.thesaurus chooses. This one knows equal words only, and is the base of the others.
Scale: 1 synonyms, 0.5 to 1 near words, above 0 to 0.5 distant ones, 0 unknown or unrelated.
But: the paper gives these ranges and no numbers; those of each kind are ours.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.6.2.

A thesaurus in the format of the Tongyici Cilin: words by code.

Idea: a thesaurus is a tree; the deeper the branch two words share, the nearer they are.
Formula: sim = 1 for equal words and for one line marked `=` (synonyms); 0.8 for one line marked `#` (related);
    0.6 for a shared code of four levels (near), 0.4 of three, 0.2 of two, 0.1 of one (distant); else 0. Of a word's several
    codes the nearest pair counts.
Format: a line is `CODE words…`, CODE = level letters and digits as in `Aa01A01=`: 1 + 1 + 2 + 1 + 2 characters and a
    mark `=`, `#` or `@` (a word alone).
Cost: two dictionary look-ups and the product of the words' codes, which are few.
But: the numbers are ours (text.thesaurus).
Reference: Mei et al., Tongyici Cilin, 1983, for the code.

A thesaurus from a WordNet: WN-LMF (XML), or the tab files of the Open Multilingual Wordnet.

Idea: words of one synset are synonyms; the fewer steps up and down the hypernyms lie between two synsets, the nearer they are.
Formula: sim = max(0, 1 - 0.2 * steps): 1 for one synset, 0.8 for a synset and its hypernym, 0.6 for two of one hypernym …
    Of a word's several synsets the nearest pair counts.
Cost: a file of 120 000 words is read once, in about ten seconds and 100 MB; a pair costs some microseconds, remembered by the caller.
But: a tab file has no hypernyms (they are those of the English WordNet it was made beside): its words are synonyms or nothing.
Reference: Bond & Foster, ACL 2013 (OMW); https://globalwordnet.github.io/schemas/ (WN-LMF).

A small thesaurus of our own: the words of the catalogue's topics, grouped by meaning.

Compiled by us for this crawler, not taken from any thesaurus; the codes have the form of the Tongyici Cilin's
(text.thesaurus says how they are read), the branches are ours:
A money, B body and health, C journeys, D sport, E vehicles, F learning, G computing, H food, I law, J arts and leisure.
`=` words of one meaning, `#` words of one kind.

The shipped thesaurus: our own small list of synonyms, and the word vectors for all other words.

Idea: 646 words in groups know that 酒店 is 宾馆; 40 000 word vectors (text.word_vectors) also know that 电脑 is much like 计算机.
Formula: sim = max(list, min(0.95, cos(encoder)^0.7 * cos(company)^0.3)), of the words' two pairs of vectors, neither below 0.
Parameters: the powers were chosen on pairs of words, the scale by crawls (docs/lab/thesaurus.md).
Cost: the vectors are loaded at the first question (.1 s, 12 MB); a word against 60 topic words about 0.1 ms, once a crawl.
But: vectors hold words of one field near, synonyms or not (足球 and 篮球), so none is a synonym by them alone: a threshold of 1
    asks the list. A word that is not in the table is taken for its known parts.
Reference: ours.

The thesaurus of a user's file: Cilin format, WN-LMF or OMW tab, told apart by what the file holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from lxml import etree

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.files import read_bytes
from topiccrawler.text.decode import decode
from topiccrawler.text.normalise import fold
from topiccrawler.text.tokenise import stem


class Thesaurus:
    """Similarity of words as the tokenizer gives them, 0..1, the same in both directions."""

    def similarity(self, first: str, second: str) -> float:
        """Of two words; here 1 when they are equal, else 0."""
        return float(first == second)

    def nearest(self, words: Sequence[str]) -> Callable[[str], float]:
        """A function that gives the similarity of a word to that of `words` it is most similar to; 0 for no words."""
        known, similarity = tuple(words), self.similarity
        return lambda word: max((similarity(word, other) for other in known), default=0.0)


NEAREST_BY_MARK: Mapping[str, float] = {"=": 1.0, "#": 0.8}
SIMILARITY = (0.0, 0.1, 0.2, 0.4, 0.6)  # by levels shared

_LINE = re.compile(r"\ufeff?([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])\s+(.*)")
_LEVEL_ENDS = (1, 2, 4, 5)


class CodedThesaurus(Thesaurus):
    """Words by code; a line of another form is passed over."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._codes: dict[str, tuple[str, ...]] = {}
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            code, mark, words = match.groups()
            for word in map(stem, fold(words).split()):
                self._codes[word] = (*self._codes.get(word, ()), code + mark)

    def __len__(self) -> int:
        return len(self._codes)

    def similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        ours, theirs = self._codes.get(first), self._codes.get(second)
        if ours is None or theirs is None:
            return 0.0
        return max(_nearness(one, other) for one in ours for other in theirs)


def _nearness(first: str, second: str) -> float:
    if first == second:
        return NEAREST_BY_MARK.get(first[-1], 0.0)
    shared = 0
    for level, end in enumerate(_LEVEL_ENDS, 1):
        if first[:end] != second[:end]:
            break
        shared = level
    return SIMILARITY[shared]


STEP = 0.2
MOST_STEPS = 4
UP = frozenset({"hypernym", "instance_hypernym"})


class WordNetThesaurus(Thesaurus):
    """Synsets by word, hypernyms by synset."""

    def __init__(self, synsets: Mapping[str, Iterable[str]], hypernyms: Mapping[str, Iterable[str]]) -> None:
        self._synsets = {word: tuple(dict.fromkeys(found)) for word, found in synsets.items()}
        self._hypernyms = {synset: tuple(above) for synset, above in hypernyms.items()}

    def __len__(self) -> int:
        return len(self._synsets)

    def similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        ours, theirs = self._above(first), self._above(second)
        shared = ours.keys() & theirs.keys()
        steps = min((ours[synset] + theirs[synset] for synset in shared), default=MOST_STEPS + 1)
        return 1.0 - STEP * steps if steps <= MOST_STEPS else 0.0

    def _above(self, word: str) -> dict[str, int]:
        """The word's synsets and those above them, with the steps up to each."""
        found = dict.fromkeys(self._synsets.get(word, ()), 0)
        level = list(found)
        for steps in range(1, MOST_STEPS + 1):
            level = [above for synset in level for above in self._hypernyms.get(synset, ())]
            for synset in level:
                found.setdefault(synset, steps)
        return found


def read_tab(lines: Iterable[str]) -> WordNetThesaurus:
    """From lines `SYNSET TAB LANGUAGE:lemma TAB WORD`; others are passed over."""
    synsets: dict[str, list[str]] = {}
    for line in lines:
        synset, kind, *rest = line.rstrip("\n").split("\t")[:3] if line.count("\t") >= 2 else ("", "")
        if rest and kind.split(":")[-1] == "lemma":
            _note(synsets, rest[0], synset)
    return WordNetThesaurus(synsets, {})


def read_lmf(path: Path) -> WordNetThesaurus:
    """From a WN-LMF file. lxml.etree.XMLSyntaxError when it is no XML."""
    synsets: dict[str, list[str]] = {}
    hypernyms: dict[str, list[str]] = {}
    wanted = ("LexicalEntry", "Synset")
    for _, element in etree.iterparse(str(path), tag=wanted, resolve_entities=False, no_network=True):
        if element.tag == "Synset":
            up = [one.get("target", "") for one in element.iter("SynsetRelation") if one.get("relType") in UP]
            if up:
                hypernyms[element.get("id", "")] = up
        elif (lemma := element.find("Lemma")) is not None:
            for sense in element.iter("Sense"):
                _note(synsets, lemma.get("writtenForm", ""), sense.get("synset", ""))
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return WordNetThesaurus(synsets, hypernyms)


def _note(synsets: dict[str, list[str]], written: str, synset: str) -> None:
    """A lemma as the tokenizer would give it: folded, stemmed, blanks and the marks between its parts taken out where it is Chinese."""
    folded = fold(written).replace("+", "").replace("_", " ")
    word = " ".join(map(stem, folded.split())) if folded.isascii() else "".join(folded.split())
    if word and synset:
        synsets.setdefault(word, []).append(synset)


SYNONYMS = """
Aa01A01= 股票 个股 股份 证券
Aa01A02# a股 b股 港股 美股 新三板 创业板 科创板 主板 蓝筹股 沪指 深成指 上证指数 恒指 大盘 股指
Aa01A03= 股市 股票市场 证券市场 二级市场
Aa01A04# 涨停 跌停 涨幅 跌幅 牛市 熊市 反弹 回调 震荡 走势 行情 开盘 收盘
Aa01A05= 股民 投资者 散户 投资人
Aa01A06= 券商 证券公司 投行
Aa01B01= 基金 公募 公募基金
Aa01B02# 私募 私募基金 指数基金 etf 货币基金 债券基金 定投 净值 基民 基金经理
Aa01B03= 债券 国债 公司债 企业债 可转债
Aa01B04# 期货 期权 股指期货 大宗商品 原油 铜 现货
Aa01B05= 黄金 金价 贵金属 白银
Aa01C01= 理财 投资理财 财富管理
Aa01C02# 存款 储蓄 利息 利率 存单 余额宝 信托 收益率
Aa01C03= 投资 融资 募资 注资
Aa01C04= 上市 挂牌 ipo 首发
Aa02A01= 银行 商业银行 农商行
Aa02A02= 央行 中国人民银行 人民银行
Aa02A03# 贷款 房贷 信贷 按揭 车贷 小额贷款 借款
Aa02A04= 信用卡 银行卡 借记卡
Aa02A05# 支付 转账 汇款 移动支付 支付宝 微信支付
Aa02B01= 保险 险种 保单
Aa02B02# 寿险 车险 重疾险 医疗险 理赔 投保 保费
Aa03A01= 财经 金融 经济
Aa03A02# 宏观 宏观经济 gdp cpi 通胀 通货膨胀 货币政策 财政政策 降准 降息 加息
Aa03A03= 外汇 汇率 汇市
Aa03A04# 人民币 美元 欧元 日元 英镑
Aa03B01= 财务 会计 账务 财会
Aa03B02# 税收 税务 纳税 个税 增值税 所得税 税率
Aa03B03# 营收 利润 净利润 财报 年报 季报 业绩 毛利率
Aa03B04= 公司 企业 集团
Aa03B05# 董事长 股东 董事会 ceo 高管
Ba01A01= 健康 养生 保健
Ba01A02= 医生 医师 大夫
Ba01A03= 医院 诊所 卫生院 医疗机构
Ba01A04# 挂号 门诊 急诊 住院 手术 体检 检查
Ba01A05= 患者 病人 病患
Ba01B01= 疾病 病症 疾患
Ba01B02# 高血压 糖尿病 冠心病 心脏病 脑梗 中风 癌症 肿瘤 肺癌 乳腺癌 肝炎 胃炎
Ba01B03# 感冒 发烧 咳嗽 流感 肺炎 鼻炎 咽炎
Ba01B04# 颈椎病 腰椎 关节炎 骨质疏松 痛风
Ba01B05# 失眠 抑郁 焦虑 抑郁症 心理
Ba01C01= 治疗 医治 诊治 疗法
Ba01C02# 症状 病因 诊断 预防 康复 护理
Ba01C03= 药物 药品 药
Ba01C04# 中药 西药 抗生素 疫苗 处方药 剂量 副作用
Ba01C05= 中医 国医 中医药
Ba01C06# 针灸 推拿 拔罐 按摩 穴位 经络 艾灸
Ba02A01= 减肥 瘦身 减脂
Ba02A02# 营养 维生素 蛋白质 钙 膳食 饮食
Ba02B01= 怀孕 妊娠 孕期
Ba02B02# 孕妇 产妇 分娩 备孕 月子 母乳 婴儿 宝宝 育儿
Ba02B03= 美容 护肤 美肤
Ca01A01= 旅游 旅行 出游 游玩
Ca01A02= 游客 旅客 驴友 旅行者
Ca01A03= 景区 景点 风景区 名胜
Ca01A04= 攻略 旅游攻略 游记 行程
Ca01A05= 自驾游 自驾 自由行 跟团游 自助游 跟团
Ca01A06# 古镇 古城 海岛 沙滩 雪山 草原 寺庙 博物馆 长城 故宫
Ca01A07= 门票 票价 景区门票
Ca01B01= 酒店 宾馆 旅馆 客栈 民宿
Ca01B02# 机票 航班 火车票 高铁 机场 航空 签证 护照 邮轮
Ca01B03= 旅行社 旅游公司
Ca01B04= 徒步 登山 远足 露营
Da01A01= 体育 运动 竞技
Da01A02= 比赛 赛事 竞赛
Da01A03# 联赛 杯赛 决赛 季后赛 世界杯 奥运会 亚运会 锦标赛
Da01A04= 球员 选手 运动员
Da01A05= 教练 主教练 主帅
Da01B01= 足球 绿茵
Da01B02# 中超 英超 西甲 意甲 德甲 欧冠 进球 射门 国足 门将
Da01B03= 篮球 nba cba
Da01B04# 投篮 三分 扣篮 湖人 勇士 火箭
Da01B05# 排球 乒乓球 羽毛球 网球 台球 高尔夫
Da01B06# 游泳 田径 马拉松 跑步 健身 瑜伽 拳击
Ea01A01= 汽车 轿车 车辆
Ea01A02# suv mpv 跑车 越野车 皮卡 货车 卡车
Ea01A03= 新能源车 电动车 电动汽车 新能源汽车
Ea01A04# 发动机 变速箱 底盘 轮胎 刹车 油耗 排量 续航
Ea01A05= 购车 买车 提车 选车
Ea01A06# 车型 车展 试驾 车企 新车 二手车
Ea01A07= 驾驶 开车 驾车
Fa01A01= 教育 教学 办学
Fa01A02= 学校 院校 校园
Fa01A03# 大学 中学 小学 高校 幼儿园 高中 初中
Fa01A04= 学生 学员 考生
Fa01A05= 老师 教师 讲师 导师
Fa01A06# 高考 考研 中考 考试 四六级 公务员考试 成绩 分数线
Fa01A07= 招生 录取 报名
Fa01A08# 课程 培训 辅导 家教 网课 教材 作业
Ga01A01= 编程 程序设计 写代码 开发
Ga01A02= 程序 软件 应用程序
Ga01A03= 程序员 工程师 码农 开发者
Ga01A04# java python javascript php golang c++ c# rust 编程语言
Ga01A05= 代码 源码 源代码
Ga01A06# 算法 数据结构 函数 变量 指针 线程 接口 框架
Ga01A07# 数据库 mysql redis 缓存 索引 sql mongodb
Ga01A08# linux 服务器 docker 运维 部署 容器
Ga01B01= 人工智能 机器学习 深度学习 ai
Ga01B02# 神经网络 模型 训练 数据挖掘 特征 回归
Ga01C01= 区块链 分布式账本
Ga01C02= 比特币 btc 虚拟货币 数字货币 加密货币
Ga01C03# 以太坊 智能合约 挖矿 矿工 钱包 代币 共识
Ga01D01= 手机 智能手机
Ga01D02# 电脑 笔记本 平板 芯片 处理器 显卡 屏幕 相机
Ga01D03= 互联网 网络 因特网
Ga01D04# 科技 数码 电商 5g 物联网 云计算 大数据
Ha01A01= 美食 佳肴 好吃
Ha01A02= 菜谱 食谱 做法 烹饪
Ha01A03# 川菜 粤菜 湘菜 鲁菜 火锅 烧烤 小吃 面条 饺子
Ha01A04# 蛋糕 面包 甜点 烘焙 饼干
Ha01A05= 餐厅 饭店 餐馆 酒楼
Ha01A06# 食材 鸡肉 牛肉 猪肉 蔬菜 水果 海鲜 豆腐
Ha01A07# 茶叶 咖啡 白酒 红酒 啤酒 饮料
Ia01A01= 法律 法规 法制
Ia01A02= 律师 辩护人 法律顾问
Ia01A03= 法院 法庭 人民法院
Ia01A04# 判决 起诉 诉讼 仲裁 辩护 原告 被告 上诉
Ia01A05# 合同 合同法 刑法 民法 婚姻法 劳动法 宪法
Ia01A06= 犯罪 违法 罪行
Ja01A01= 电影 影片 大片
Ja01A02= 明星 艺人 偶像
Ja01A03= 电视剧 剧集 连续剧
Ja01A04# 综艺 娱乐 演唱会 票房 导演 演员 歌手
Ja01A05= 音乐 歌曲
Ja01A06# 小说 诗歌 散文 文学 作家 阅读
Ja01A07= 游戏 网游 手游 电竞
Ja01A08# 新闻 资讯 报道 时事
"""

ENCODER_SHARE = 0.7
MOST = 0.95


class VectorThesaurus(Thesaurus):
    """A list where it knows both words, else the shipped word vectors."""

    def __init__(self, listed: Thesaurus) -> None:
        self.listed = listed

    def similarity(self, first: str, second: str) -> float:
        return self.nearest([second])(first)

    def nearest(self, words: Sequence[str]) -> Callable[[str], float]:
        import numpy as np

        from topiccrawler.text.word_vectors import shipped_vectors

        vectors = shipped_vectors()
        listed = self.listed.nearest(words)
        known = [found for found in map(vectors.of_word, words) if found is not None]
        tables = [np.stack(rows) for rows in zip(*known, strict=True)]

        def of(word: str) -> float:
            by_list = listed(word)
            found = vectors.of_word(word) if by_list < MOST and tables else None
            if found is None:
                return by_list
            meaning, company = ((rows @ row).clip(min=0.0) for rows, row in zip(tables, found, strict=True))
            likeness = float((meaning**ENCODER_SHARE * company ** (1 - ENCODER_SHARE)).max())
            return max(by_list, min(MOST, likeness))

        return of


@cache
def shipped() -> VectorThesaurus:
    """The one that travels with the package."""
    return VectorThesaurus(CodedThesaurus(SYNONYMS.splitlines()))


MOST_BYTES = 64_000_000
REMEDY = "set TOPIC_THESAURUS to a file in Cilin format or of a WordNet (WN-LMF, OMW tab)"


def load_thesaurus(path: Path) -> Thesaurus:
    """The file's, of any Chinese encoding. ArgumentError when it cannot be used."""
    what = f"thesaurus {path}"
    with file_faults(ArgumentError, what, "cannot be read", REMEDY), path.open("rb") as file:
        head = file.read(1_000)
    if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        return _lmf(path, what)
    lines = decode(read_bytes(path, MOST_BYTES, ArgumentError, what, REMEDY))[0].splitlines()
    coded = CodedThesaurus(lines)
    found = coded if len(coded) else read_tab(lines)
    if not len(found):
        remedy = "write lines as: Aa01A01= 股票 个股 证券"
        raise ArgumentError(what, "holds no line in Cilin format, nor of a WordNet", remedy)
    return found


def _lmf(path: Path, what: str) -> WordNetThesaurus:
    try:
        found = read_lmf(path)
    except etree.XMLSyntaxError as fault:
        raise ArgumentError(what, f"is damaged: {fault}", REMEDY) from None
    if not len(found):
        raise ArgumentError(what, "holds no LexicalEntry with a Sense", REMEDY)
    return found
