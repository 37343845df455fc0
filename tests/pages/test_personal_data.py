"""Personal data in texts: what is found, what only looks alike, and the share of right finds on a set of our own."""

import random
import time
from collections.abc import Callable, Iterator

import pytest

from topiccrawler.pages.personal_data import counts_of, personal_data_in, redacted

RANGES = "130 131 135 138 139 145 147 150 152 158 159 166 170 172 176 180 186 188 189 191 198 199".split()  # noqa: SIM905
REGIONS = "110105 310115 440308 320102 510104 330106 420106 350203 610113 230103 650102 810000 830000".split()  # noqa: SIM905
TW_CODES = dict(zip("ABCDEFGHJKLMNPQRSTUVXYWZIO", range(10, 36), strict=True))


def phone(rng: random.Random) -> str:
    return rng.choice(RANGES) + f"{rng.randrange(10**8):08}"


def resident(rng: random.Random) -> str:
    """A mainland ID number; its check digit by the formula over base 13."""
    digits = f"{rng.choice(REGIONS)}{rng.randrange(1940, 2012)}{rng.randrange(1, 13):02}{rng.randrange(1, 29):02}{rng.randrange(1, 1000):03}"
    check = (1 - 2 * int(digits, 13)) % 11
    return digits + ("X" if check == 10 else str(check))


def with_luhn(digits: str) -> str:
    doubled = [int(digit) * (2 if at % 2 == 0 else 1) for at, digit in enumerate(reversed(digits))]
    return digits + str(-sum(one - 9 if one > 9 else one for one in doubled) % 10)


def union_pay(rng: random.Random) -> str:
    return with_luhn(
        rng.choice(["621700", "622202", "622848", "955880", "621483"]) + f"{rng.randrange(10**12):012}"
    )


def visa(rng: random.Random) -> str:
    return with_luhn(
        rng.choice(["4", "51", "55", "35280", "625"]).ljust(15, "0")[:6] + f"{rng.randrange(10**9):09}"
    )


def taiwan(rng: random.Random) -> str:
    letter, digits = rng.choice("ABCEFHJNPQTV"), f"{rng.choice('12')}{rng.randrange(10**7):07}"
    total = TW_CODES[letter] // 10 + TW_CODES[letter] % 10 * 9
    total += sum(int(digit) * weight for digit, weight in zip(digits, range(8, 0, -1), strict=True))
    return f"{letter}{digits}{-total % 10}"


def hong_kong(rng: random.Random, brackets: str = "()") -> str:
    letter, digits = rng.choice("ABCDGHKPRVYZ"), f"{rng.randrange(10**6):06}"
    total = (
        36 * 9
        + (ord(letter) - 55) * 8
        + sum(int(d) * w for d, w in zip(digits, range(7, 1, -1), strict=True))
    )
    check = -total % 11
    return f"{letter}{digits}{brackets[:1]}{'A' if check == 10 else check}{brackets[1:]}"


def wide(text: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


def spaced(number: str, *lengths: int, by: str = " ") -> str:
    pieces, at = [], 0
    for length in lengths:
        pieces.append(number[at : at + length])
        at += length
    return by.join([*pieces, *([number[at:]] if number[at:] else [])])


Made = Callable[[random.Random], str]
# kind, what makes the number, and the sentences around it
POSITIVE: list[tuple[str, Made, list[str]]] = [
    (
        "phone",
        phone,
        [
            "联系电话：{}", "手机{}，微信同号", "请拨打 {} 咨询。", "王经理（{}）", "電話：{}（陳先生）", "Tel:{}", "tel.{}", "Mobile: {}",
            "联系人：张三 {}", "{}", "报名热线{}转8001", "加微信{}", "微信/电话：{}", "QQ/微信：{}", "有意者请致电{}或发邮件", "电话/{}",
            "手机号为{}的用户", "请凭订单号联系{}", "订单12345，电话{}", "张三，{}，北京市朝阳区", "☎{}", "联系我们：0755-83012345、{}",
            "📱 {}", "WhatsApp {}", "客服{}、13900139000", "1、张三 {}\n2、李四", "|姓名|{}|", "「{}」", "编号 7；手机 {}", "機主{}",
        ],
    ),
    ("phone", lambda rng: spaced(phone(rng), 3, 4, 4), ["电话：{}", "{}", "手机 {} 王先生", "联系{}。"]),
    ("phone", lambda rng: spaced(phone(rng), 3, 4, 4, by="-"), ["电话：{}", "{}", "致电{}咨询", "手机{}（李）"]),
    ("phone", lambda rng: spaced(phone(rng), 4, 3, 4, by="-"), ["电话：{}", "手机 {}"]),
    ("phone", lambda rng: f"+86 {phone(rng)}", ["电话：{}", "{}", "Call {} now"]),
    ("phone", lambda rng: f"+86-{spaced(phone(rng), 3, 4, 4, by='-')}", ["Phone: {}", "手机 {}"]),
    ("phone", lambda rng: f"(+86){phone(rng)}", ["电话{}", "{}"]),
    ("phone", lambda rng: f"0086{phone(rng)}", ["电话：{}"]),
    ("phone", lambda rng: wide(phone(rng)), ["电话：{}", "手机{}，", "{}"]),
    ("phone", lambda rng: wide(spaced(phone(rng), 3, 4, 4, by="-")), ["電話：{}"]),
    (
        "id",
        resident,
        ["身份证号：{}", "身份证{}，户籍", "张三，男，{}", "{}", "公民身份号码 {}。", "被告人李四（身份证号码{}）", "證件號碼：{}", "ID:{}", "证号：{}"],
    ),
    ("id", lambda rng: spaced(resident(rng), 6, 8), ["身份证：{}", "{}"]),
    ("id", lambda rng: wide(resident(rng)), ["身份证号：{}"]),
    ("id", lambda rng: resident(rng).lower(), ["身份证号：{}"]),
    (
        "card",
        union_pay,
        ["银行卡号：{}", "卡号{}，户名张三", "收款账号：{} 中国工商银行", "工行 {}", "{}", "開戶行：招商銀行 帳號 {}", "汇款至 {}（王五）", "Card No. {}"],
    ),
    ("card", lambda rng: spaced(union_pay(rng), 4, 4, 4, 4), ["卡号：{}", "{}", "打款 {}"]),
    ("card", lambda rng: spaced(union_pay(rng), 6), ["账号：{}"]),
    ("card", visa, ["信用卡号：{}", "Visa {}", "MasterCard: {}", "卡號：{}"]),
    ("card", lambda rng: spaced(visa(rng), 4, 4, 4, by="-"), ["信用卡 {}", "{}"]),
    ("card", lambda rng: wide(union_pay(rng)), ["卡号：{}"]),
    (
        "tw_id",
        taiwan,
        ["身分證字號：{}", "身分證{}，戶籍地", "身份證統一編號 {}", "國民身分證字號為{}。", "陳小明 {}\n（附身分證影本）", "居留證號碼：{}"],
    ),
    ("tw_id", lambda rng: wide(taiwan(rng)), ["身分證字號：{}"]),
    ("hk_id", hong_kong, ["香港身份證號碼：{}", "HKID: {}", "{}", "持有人陳大文（{}）", "身份证 {}，"]),
    ("hk_id", lambda rng: hong_kong(rng, "（）"), ["香港身份證：{}"]),
    ("hk_id", lambda rng: hong_kong(rng, ""), ["香港身份證號碼：{}", "HKID {}"]),
    (
        "email",
        lambda rng: f"{rng.choice(['zhang.san', 'li_si88', 'wangwu', 'a1b2', '123456789', 'chen-ming'])}@{rng.choice(['qq.com', '163.com', 'sina.com.cn', 'mail.ustc.edu.cn', 'gmail.com', 'a-b.org', 'ntu.edu.tw'])}",
        [
            "邮箱：{}", "E-mail:{}。", "请发至{}，谢谢", "联系{}或致电", "<{}>", "mailto:{}", "{}", "（{}）", "email：{}；", "投稿信箱 {}",
            "来信请寄{}（注明投稿）", "QQ邮箱{}", "邮箱:{}/微信同号",
        ],
    ),
    ("email", lambda rng: f"wang{rng.randrange(99)}＠qq.com", ["邮箱：{}"]),
    ("email", lambda rng: wide(f"wang{rng.randrange(99)}@qq.com"), ["邮箱：{}"]),
]  # fmt: skip
# What looks like such a number and is none: the number, and the sentences around it.
NEGATIVE: list[tuple[Made, list[str]]] = [
    (
        phone,
        [
            "QQ：{}", "QQ群：{}", "扣扣{}", "订单号：{}", "订单编号为{}", "單號：{}", "运单号{}", "快递单号：{}", "流水号 {}", "合同编号：{}", "货号：{}",
            "型号：{}", "ISBN {}", "专利号{}", "备案号：{}", "http://a.cn/{}.html", "https://a.cn/x?id={}", "www.a.cn/p/{}", "a.cn/{}", "id={}",
            "UID：{}", "共{}元", "金额：¥{}", "￥{}", "${}", "价格{}", "{}元", "{}万元", "{} 美元", "营收{}亿", "{}人次", "{}次播放", "{}字节", "{}.55",
            "0.{}", "{}-1", "{}.jpg", "IMG_{}", "abc{}", "{}abc", "v{}x", "SN{}", "No{}a", "#{}", "{}%", "@{}", "1{}", "{}0", "00{}", "12-{}", "浏览{}",
            "条码：{}", "注册号 {}", "timestamp: {}", "msgid={}", "产量{}吨", "人口{}", "版本 {}", "工号：{}", "学号{}", "准考证号：{}", "市值{}", "{}_01",
            "发票代码：{}", "保单号{}", "彩票 {}", "型號{}", "編號：{}", "批号{}", "订单 {}", "order {}", "Order No. {}", "part {}", "案号{}",
        ],
    ),
    (lambda rng: rng.choice(["10", "11", "12", "142", "154", "160", "169", "179", "194"]).ljust(11, "7"), ["电话：{}", "{}"]),
    (lambda rng: f"{1_600_000_000_000 + rng.randrange(10**11)}", ["时间戳 {}", "{}", "t={}"]),
    (lambda rng: f"{1_300_000_000 + rng.randrange(10**8)}", ["{}", "时间：{}"]),
    (lambda rng: f"978-7-{rng.randrange(1000, 9999)}-{rng.randrange(1000, 9999)}-{rng.randrange(9)}", ["ISBN {}", "书号：{}", "{}"]),
    (lambda rng: f"9787{rng.randrange(10**9):09}", ["ISBN：{}", "{}"]),
    (lambda rng: f"{rng.randrange(2000, 2025)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02} 13:{rng.randrange(60):02}:00", ["{}", "发布时间：{}"]),
    (lambda rng: f"{rng.randrange(2000, 2025)}{rng.randrange(1, 13):02}{rng.randrange(1, 29):02}{rng.randrange(10**6):06}", ["{}", "期号{}"]),
    (lambda rng: f"0{rng.choice(['10', '755', '21'])}-{rng.randrange(10**7, 10**8)}", ["电话：{}", "传真 {}"]),
    (lambda rng: f"400-{rng.randrange(100, 999)}-{rng.randrange(1000, 9999)}", ["热线：{}"]),
    (lambda rng: f"{rng.randrange(10**4, 10**10)}", ["QQ：{}", "QQ群 {}", "微信号 wx{}", "股票代码{}"]),
    (lambda rng: f"13,{rng.randrange(100, 999)},{rng.randrange(100, 999)},{rng.randrange(100, 999)}", ["{}", "{}元"]),
    (lambda rng: resident(rng)[:17] + rng.choice([d for d in "0123456789" if d != resident(rng)[-1]]) + "7", ["身份证{}", "{}"]),
    (resident, ["订单号：{}", "http://a.cn/{}", "流水号{}", "abc{}", "{}99", "0{}", "编号 {}"]),
    (lambda rng: f"{rng.choice(['91', '92', '99'])}{rng.randrange(10**16):016}", ["统一社会信用代码：{}", "{}"]),
    (lambda rng: f"91330100MA2{rng.randrange(10**6):06}{rng.choice('XKJ')}", ["统一社会信用代码 {}", "{}"]),
    (lambda rng: f"110105{rng.choice(['19491331', '20231301', '29990101', '18991231'])}{rng.randrange(10**4):04}", ["{}", "身份证{}"]),
    (union_pay, ["订单号：{}", "流水号：{}", "http://a.cn/{}", "单号{}", "{}5", "id={}", "编号：{}", "x{}", "运单号 {}"]),
    (visa, ["{}", "微博 {}", "订单号：{}", "https://weibo.com/1/{}", "mid={}", "编号{}", "msgid {}", "商品 {}", "3.{}"]),
    (lambda rng: union_pay(rng)[:-1] + "ABCDEFGHIJ"[rng.randrange(10)], ["卡号：{}"]),
    (lambda rng: str(int(union_pay(rng)) + 1), ["卡号：{}", "{}"]),
    (lambda rng: f"8{rng.randrange(10**15):015}", ["卡号：{}", "{}"]),
    (lambda _: "4" * 16, ["卡号：{}"]),
    (taiwan, ["型号 {}", "{}", "订单{}", "产品编号：{}", "a.cn/{}", "x{}", "国药准字{}", "part {}"]),
    (lambda rng: taiwan(rng)[:-1] + str((int(taiwan(rng)[-1]) + 1) % 10) + "5", ["身分證字號：{}"]),
    (lambda rng: f"国药准字{rng.choice('HZS')}{rng.randrange(10**8):08}", ["批准文号：{}", "{}"]),
    (lambda rng: f"{rng.choice('EG')}{rng.randrange(10**8):08}", ["护照 {}", "{}"]),
    (lambda rng: f"{rng.choice('ABCG')}{rng.randrange(1000, 9999)}({rng.randrange(10)})", ["{}", "见图{}"]),
    (lambda rng: hong_kong(rng, ""), ["{}", "型号{}", "车次 {}", "航班号 {}"]),
    (hong_kong, ["型号：{}", "编号{}", "a.cn/{}", "x{}"]),
    (
        lambda rng: rng.choice(
            [
                "logo@2x.png", "banner@3x.jpg", "lodash@4.17.21", "@types/node", "git@github.com:a/b.git", "user@localhost", "root@192.168.1.1",
                "https://user:pw@a.com/", "@zhangsan", "a@b", "me@.com", "x@y.js", "vue@next.ts", "https://medium.com/@li", "1@1.1", "时间@北京", "c@t",
                "ssh://git@a.com/x", "a..b@@c", "name@domain.invalidtld", "pkg@v1.2.beta", "photo@1x.webp", "xxx@163.com", "mail@xxx.com",
                "you@example.com",
            ]
        ),
        ["{}", "安装 {} 即可", "见{}", "（{}）", "图片：{}", "npm i {}"],
    ),
]  # fmt: skip
EACH = 4  # numbers made for a sentence


def cases() -> Iterator[tuple[str, list[str], list[str]]]:
    """Texts with the kinds and the numbers in them."""
    rng = random.Random(7)
    for kind, make, sentences in POSITIVE:
        for sentence in sentences:
            for _ in range(EACH):
                number = make(rng)
                others = ["phone"] if "13900139000" in sentence else []
                yield sentence.format(number), [kind, *others], [number]
    for make, sentences in NEGATIVE:
        for sentence in sentences:
            for _ in range(EACH):
                yield sentence.format(make(rng)), [], []


def test_precision_is_at_least_98_and_recall_95_of_a_hundred() -> None:
    right = found = wanted = 0
    wrong: list[str] = []
    texts = list(cases())
    for text, kinds, numbers in texts:
        data = personal_data_in(text)
        kinds_found = [one.kind for one in data]
        hits = sum((kinds_found.count(kind) and 1) for kind in kinds)
        right, found, wanted = right + hits, found + len(data), wanted + len(kinds)
        if kinds_found != kinds or not all(
            number in [text[one.start : one.end] for one in data] for number in numbers
        ):
            wrong.append(f"{text}: {kinds_found}, not {kinds}")
    assert (len(texts) > 900, wanted > 400) == (True, True)
    assert right / found >= 0.98, wrong
    assert right / wanted >= 0.95, wrong
    assert len(wrong) <= 0.02 * len(texts), wrong


def test_all_of_a_text_are_found_in_order_and_replaced() -> None:
    text = "张三：13800138000、１３９－００１３－９０００；zhang@qq.com。身份证11010519491231002X，卡号6222 0212 3456 7890 128，HKID A123456(3)。"
    assert [one.kind for one in personal_data_in(text)] == ["phone", "phone", "email", "id", "card", "hk_id"]
    assert redacted(text) == "张三：[PHONE]、[PHONE]；[EMAIL]。身份证[ID]，卡号[CARD]，HKID [ID]。"
    assert counts_of("13800138000", text) == "phone=3, id=1, card=1, email=1, hk_id=1"
    assert (counts_of("", "2024-05-06 基金"), redacted("基金，2024年")) == ("", "基金，2024年")


def test_what_is_replaced_is_found_no_more() -> None:
    for text, _, _ in cases():
        assert personal_data_in(redacted(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "1" * 300_000, "13800138000" * 30_000, "1 " * 150_000, "1-" * 150_000, "a@" * 150_000, "@" * 300_000, "a" * 300_000 + "@a.com",
        "a." * 150_000 + "@a.com", "a@" + "a." * 150_000, "A12345678" * 30_000, "A123456789 " * 30_000, "订单" * 150_000 + "13800138000",
        "13800138000 " * 25_000, "11010519491231002X " * 15_000, "1１" * 150_000, "(+86" * 75_000, "6222021234567890128 " * 15_000,
    ],
)  # fmt: skip
def test_a_hostile_text_costs_time_in_proportion_to_its_length(text: str) -> None:
    """Five times as much text takes at most some ten times as long."""

    def seconds(part: str) -> float:
        best = float("inf")
        for _ in range(2):
            begun = time.thread_time()
            personal_data_in(part)
            best = min(best, time.thread_time() - begun)
        return best

    assert seconds(text) <= 12 * seconds(text[: len(text) // 5]) + 0.05
