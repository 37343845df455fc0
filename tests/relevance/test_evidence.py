"""The page classifier of a user's own words, by hand and with weights of its own."""

import math

import pytest

from topiccrawler.crawling.judging import words_of_record
from topiccrawler.errors import TopicError
from topiccrawler.pages.read import PageWords, Reader
from topiccrawler.pages.site_repeats import Kind, SiteRepeats, with_words
from topiccrawler.relevance.choose import make_page_classifier, untrained
from topiccrawler.relevance.evidence import FEATURES, EvidenceClassifier, words_that_lead
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.segmenter import PLAIN, words
from topiccrawler.topics.catalogue import load_topic, topic_from_keywords
from topiccrawler.topics.meaning import naming_words, understood
from topiccrawler.topics.proposed_words import near_words
from topiccrawler.topics.topic import make_topic

EXAM = ["考研", "高考", "志愿"]
NEAR = near_words(dict.fromkeys(EXAM, 1.0), PLAIN)
NONE = dict.fromkeys(("bias", *FEATURES), 0.0)


def classifier_of(given: list[str], **weights: float) -> EvidenceClassifier:
    """With these weights (spaces as underscores), the others 0."""
    named = {name.replace("_", " "): weight for name, weight in weights.items()}
    return EvidenceClassifier(understood(topic_from_keywords(given, "own")), {**NONE, **named})


def shipped(given: list[str]) -> EvidenceClassifier:
    return EvidenceClassifier(understood(topic_from_keywords(given, "own")))


def page(*texts: tuple[Kind, str]) -> PageWords:
    """A page of these segments."""
    segments = with_words(texts, PLAIN)
    body = [word for one in segments if one.kind in ("text", "block") for word in one.words]
    return PageWords(title=list(segments[0].words) if segments else (), body=body, segments=segments)


PAGE = page(
    ("title", "考研联考"), ("title", "小站"), ("tag", "高考"), ("description", "考研，高考，志愿"), ("heading", "志愿"),
    ("category", "考试"), ("category", "考研"), ("folder", "高考"), ("folder", "志愿"), ("text", "考研，考研，考试，天气"),
    ("text", "天气，" * 60), ("text", "考试"),
)  # fmt: skip


def test_the_features_of_a_page_by_hand() -> None:
    """Body 4 + 60 + 1 words: 考研 twice, 考试, near the user's words, twice, once of it in the lead: the third line begins past 60 words."""
    classifier = classifier_of(EXAM)
    of_joint, of_exam = NEAR["联考"], NEAR["考试"]
    assert 0.35 <= of_exam < 0.75
    found = dict(zip(FEATURES, classifier.features(classifier.observe(PAGE)), strict=True))
    ones = dict.fromkeys(
        ("title", "title words", "tags", "headings", "categories", "words", "main text"), 1.0
    )
    expected = {**ones, "description": 2.0, "folder": 1.0, "latin": 0.0}  # of three, of two
    expected |= {"title near": of_joint, "title nears": of_joint, "lead near": of_exam, "count": math.log(3)}
    expected |= {
        "density": math.sqrt(2 / 85),
        "near density": math.sqrt(of_exam**2 * 2 / 85),
        "length": math.log(85),
    }
    assert found == pytest.approx(expected)


def test_the_relevance_is_the_logistic_of_the_weighted_features() -> None:
    """-1 + 2 · 1 + .5 · ln 3 = 1.5493, so 1 / (1 + e^-1.5493) = .8248."""
    classifier = classifier_of(EXAM, bias=-1.0, title=2.0, count=0.5)
    assert classifier.relevance(PAGE) == pytest.approx(0.824813, abs=1e-6)
    assert classifier.relevance_of(classifier.observe(PAGE), 0.0) == classifier.relevance(PAGE)
    assert classifier_of(EXAM).relevance(PAGE) == classifier.threshold == 0.5
    assert classifier.relevance(PageWords()) == pytest.approx(1 / (1 + math.e))


def test_two_tags_that_nothing_else_on_the_page_bears_out_count_as_one() -> None:
    classifier = classifier_of(EXAM)

    def tags(*texts: tuple[Kind, str]) -> float:
        found = classifier.observe(page(("title", "留言墙"), ("tag", "高考"), ("tag", "考研"), *texts))
        return dict(zip(FEATURES, classifier.features(found), strict=True))["tags"]

    assert tags(("text", "路过的朋友请留言")) == 1.0
    assert tags(("text", "志愿怎么填")) == tags(("heading", "高考")) == 2.0


def test_a_chinese_word_counts_at_the_end_of_a_longer_word_of_titles_tags_and_headings() -> None:
    classifier = classifier_of(["线程", "志愿"])
    assert words("多线程") == ["多线程"]
    assert words("志愿者") == ["志愿者"]
    threads = page(("title", "多线程"), ("tag", "志愿者"), ("heading", "多线程，线程"), ("text", "多线程"))
    found = classifier.observe(threads)
    assert [dict(one.counts).get("线程", 0) for one in found] == [1, 0, 2, 0]
    assert [dict(one.counts).get("志愿", 0) for one in found] == [0, 0, 0, 0]


def test_explain_gives_shares_of_the_relevance_largest_first() -> None:
    """Without 考研 the log-odds lose 2 + .5 · ln 3, without 高考 the .25 of the tag; 志愿 and the near words have no weight."""
    classifier = classifier_of(EXAM, bias=-1.0, title=2.0, count=0.5, tags=0.25)
    shares = classifier.explain(PAGE)
    assert sum(share for _, share in shares) == pytest.approx(classifier.relevance(PAGE))
    assert [word for word, share in shares if share > 0] == ["考研", "高考"]
    assert shares[0][1] / shares[1][1] == pytest.approx((2 + 0.5 * math.log(3)) / 0.25)
    assert classifier.explain(PageWords()) == []


def test_an_ambiguous_word_in_the_text_alone_does_not_suffice_but_in_the_title_it_does() -> None:
    classifier = shipped(EXAM)
    text = "天气，" * 200 + "志愿，" * 3
    assert classifier.relevance(page(("title", "今天"), ("text", text))) < 0.5
    assert classifier.relevance(page(("title", "志愿"), ("text", text))) >= 0.5


def test_a_page_without_any_of_the_words_is_off_topic_whatever_it_is_about() -> None:
    classifier = shipped(EXAM)
    of_parent = page(("title", "小学语文课本"), ("text", "老师，学生，课本，" * 30))
    assert classifier.similarity(of_parent) > classifier.similarity_threshold, "its links may lead there"
    assert classifier.relevance(of_parent) < 0.5


def test_a_latin_word_whose_stem_is_another_word_counts_as_it_is_written() -> None:
    classifier = classifier_of(["banking"], bias=-1.0, title=2.0)
    assert classifier.words == {"bank"}

    def relevance(title: str) -> float:
        return classifier.relevance(page(("title", title)))

    on, off = pytest.approx(1 / (1 + math.exp(-1))), pytest.approx(1 / (1 + math.e))
    assert relevance("Banking for beginners") == on
    assert relevance("ｂａｎｋｉｎｇ") == on, "folded"
    assert relevance("The bank of the river") == off
    assert relevance("Embanking, e-bankings") == on, "its plural"
    assert relevance("Embanking the bank") == off
    assert classifier.observe(page(("title", "banking, Banking, bank")))[0].counts == {"bank": 2}
    assert classifier.relevance(PageWords(title=["bank"])) == on, "of words alone it cannot be told"


@pytest.mark.parametrize(
    ("arguments", "on", "off"),
    [
        ("Objective-C", "Objective-C入门", "The objective of this page"),
        ("GPT-4", "用GPT 4写作", "GPT分区, gpt-40"),
        (".NET", "学.NET框架", "example.net"),
        ("C++", "C++模板", "C语言"),
        ("Wi-Fi", "WiFi设置", "Hi-Fi"),
    ],
)
def test_a_name_of_which_the_segmenter_drops_a_part_counts_as_it_is_written(
    arguments: str, on: str, off: str
) -> None:
    classifier = classifier_of([arguments, "考研"], bias=-1.0, title=2.0)
    assert [classifier.relevance(page(("title", title))) > 0.5 for title in (on, off)] == [True, False]


def test_words_that_the_segmenter_cut_are_joined_again_and_the_longest_counts() -> None:
    classifier = classifier_of(["宏观经济政策利率"], count=1.0)
    assert len(words("宏观经济政策利率")) > 1
    (found,) = classifier.observe(page(("text", "关于宏观经济政策利率的消息")))
    assert found.counts["宏观经济政策利率"] == 1
    features = dict(zip(FEATURES, classifier.features([found]), strict=True))
    assert features["count"] == pytest.approx(math.log(2))
    (found,) = classifier.observe(page(("text", "利率政策与宏观经济")))
    assert "宏观经济政策利率" not in found.counts


def test_a_folder_of_its_address_is_evidence_of_a_page_and_of_a_stored_one() -> None:
    """-1 + 3 = 2, so 1 / (1 + e^-2) = .8808, and the folder's word has it all; the last name of an address is none."""
    classifier = classifier_of(["NBA", "篮球"], bias=-1.0, folder=3.0)

    def stored(url: str) -> PageWords:
        record = PageRecord(url=url, title="熟悉的那个罗斯", keywords="", description="", text="天气")
        return words_of_record(record, PLAIN, in_segments=classifier.reads_segments)

    reader = Reader(classifier)
    for url, relevance in (("http://a.cn/NBA/2019/1.html", 0.880797), ("http://a.cn/1/nba", 0.268941)):
        assert reader.read(url, b"<title>Rose</title>").page.relevance == pytest.approx(relevance, abs=1e-6)
        assert classifier.relevance(stored(url)) == pytest.approx(relevance, abs=1e-6)
    assert classifier.explain(stored("http://a.cn/nba/1")) == [("nba", pytest.approx(0.880797, abs=1e-6))]


def test_a_topic_of_single_letters_is_refused_in_one_line() -> None:
    fields = {"keywords": {"C": 1.0, "R": 1.0, "茶叶": 1.0}, "given": ["C", "R"], "narrow": True}
    with pytest.raises(TopicError, match="C, R"):
        EvidenceClassifier(make_topic({"name": "own", **fields}, "own"), NONE)


def test_topics_with_words_that_name_them_get_it_and_all_others_vsm() -> None:
    narrow = understood(topic_from_keywords(EXAM, "own"))
    assert narrow.narrow
    for topic in (narrow, narrow.model_copy(update={"narrow": None}), load_topic("finance")):
        assert isinstance(make_page_classifier(topic), EvidenceClassifier)
        assert isinstance(untrained(topic), EvidenceClassifier)
    unnamed = make_topic({"name": "own", "zh": "招生", "keywords": EXAM}, "own")
    contrasting = load_topic("finance").model_copy(update={"contrast": True})
    assert [type(untrained(one)) for one in (unnamed, contrasting)] == [VsmClassifier, VsmClassifier]


def test_a_topic_is_named_by_what_the_user_typed_else_by_names_among_its_keywords() -> None:
    keywords = {"茶叶": 1, "普洱": 0.5, "紫砂壶": 1}
    fields = {"name": "tea", "zh": "茶叶", "also": ["普洱", "red tea"], "keywords": keywords}
    assert naming_words(make_topic(fields, "tea")) == ["茶叶", "普洱"]
    assert naming_words(make_topic({**fields, "given": ["紫砂壶"]}, "tea")) == ["紫砂壶"]
    assert naming_words(make_topic({**fields, "zh": "", "also": []}, "tea")) == []
    many = [f"茶{number}" for number in range(13)]
    words = {"茶叶": 1, "普洱": 0.5, **dict.fromkeys(many, 1)}
    typed = {**fields, "given": many, "keywords": words}
    assert naming_words(make_topic(typed, "tea")) == ["茶叶", "普洱"]
    assert naming_words(make_topic({**typed, "narrow": True}, "tea")) == many
    assert naming_words(load_topic("clc:F83")) == []


FUNDS = make_topic(
    {"name": "funds", "zh": "基金", "keywords": {"基金": 1.0, "净值": 1.0}, "page_threshold": 0.2}, "funds"
)
NEWS = page(("title", "天气"), ("text", "基金，净值" + "，天气" * 6))


def test_a_topic_of_many_words_is_judged_by_its_names_and_by_all() -> None:
    """e = -1 + 2 · 0 + .5 · 1 = -.5 by the one name; v = 3 · ln(s / .2); log-odds .5 · e + .7 · v + 1.5."""
    classifier = EvidenceClassifier(FUNDS, {**NONE, "bias": -1.0, "title": 2.0, "words": 0.5})
    similarity = VsmClassifier(FUNDS).similarity(NEWS)
    assert classifier.similarity(NEWS) == similarity
    log_odds = 0.5 * -0.5 + 0.7 * 3.0 * math.log(similarity / 0.2) + 1.5
    assert classifier.relevance(NEWS) == pytest.approx(1.0 / (1.0 + math.exp(-log_odds)))
    named = page(("title", "基金"), ("text", "基金，净值" + "，天气" * 6))
    log_odds = 0.5 * 1.5 + 0.7 * 3.0 * math.log(classifier.similarity(named) / 0.2) + 1.5
    assert classifier.relevance(named) == pytest.approx(1.0 / (1.0 + math.exp(-log_odds)))
    assert classifier.relevance(page(("title", "天气"), ("text", "天气"))) < 0.001
    everything = FUNDS.model_copy(update={"page_threshold": 0.0})
    assert EvidenceClassifier(everything).relevance(page(("title", "天气"))) == 1.0


def test_the_shares_of_its_words_are_those_of_names_and_of_all() -> None:
    found = dict(EvidenceClassifier(FUNDS).explain(NEWS))
    assert sum(found.values()) == pytest.approx(EvidenceClassifier(FUNDS).relevance(NEWS))
    assert found["基金"] > found["净值"] > 0  # as often, but a name
    assert words_that_lead(EvidenceClassifier(FUNDS), NEWS) == []
    refused = EvidenceClassifier(FUNDS.model_copy(update={"against": {"天气": 1.0}}))
    weather = page(("title", "天气"), ("text", "基金" + "，天气" * 200))
    assert refused.similarity(weather) == 0.0
    assert [word for word, _ in refused.explain(weather)] == ["基金"]


def test_words_without_their_places_are_judged_by_all_keywords_alone() -> None:
    """A document, a result of a search: a topic of many words knows them by its vector; one of the user's own words has nothing else."""
    apart = PageWords(title=["基金"], body=["净值", *["天气"] * 6])
    classifier, by_all = EvidenceClassifier(FUNDS), VsmClassifier(FUNDS)
    assert classifier.relevance(apart) == by_all.relevance(apart) != classifier.relevance_of([], 0.3)
    parts = dict(classifier.explain(apart))
    assert sum(parts.values()) == pytest.approx(classifier.relevance(apart))
    assert list(parts) == [word for word, _ in by_all.explain(apart)]


def test_a_site_that_names_the_topic_on_every_page_says_so_of_none() -> None:
    """Once that is known."""
    reader = Reader(EvidenceClassifier(FUNDS), repeats=SiteRepeats(), segmenter=FUNDS.segmenter)

    def relevance(host: str, number: int, suffix: str) -> float:
        body = f"<title>天气{number}{suffix}</title><p>{number}日的净值：{'晴，多云。' * 20}{number}</p>"
        return reader.read(f"http://{host}/{number}", body.encode()).page.relevance

    named = [relevance("a.test", number, " - 基金") for number in range(12)]
    plain = [relevance("b.test", number, "") for number in range(12)]
    assert named[0] > named[-1] + 0.05
    assert named[-1] >= plain[-1]
    assert plain[0] < plain[-1] + 0.05


def test_a_latin_word_whose_stem_is_another_counts_where_chinese_follows_it_without_a_blank() -> None:
    """bankings too, but not banked."""
    classifier = classifier_of(["banking", "考研"])
    found = classifier.observe(page(("title", "banking入门"), ("text", "学bankings吧，banked")))
    assert [dict(one.counts) for one in found if one.kind != "heading"] == [{"bank": 1}, {"bank": 1}]


def test_what_leads_to_a_page_is_the_other_words_behind_its_similarity() -> None:
    classifier = shipped(EXAM)
    leading = words_that_lead(classifier, PAGE)
    assert leading == [pair for pair in classifier.vsm.explain(PAGE) if pair[0] not in classifier.words][:12]
    assert "考试" in dict(leading)
    assert words_that_lead(classifier.vsm, PAGE) == []


def words_in_title(given: list[str], title: str) -> float:
    """How many of the words given a title has, for the page classifier of them."""
    topic = understood(topic_from_keywords(given, "own"))
    classifier = EvidenceClassifier(topic, {**NONE, "title words": 1.0})
    segments = with_words([("title", title)], topic.segmenter)
    found = classifier.observe(PageWords(segments=segments))
    return classifier.features(found)[FEATURES.index("title words")]


@pytest.mark.parametrize(
    ("arguments", "title", "found"),
    [
        (["Kamera", "Objektiv"], "Objektive und Kameras", 2.0),
        (["Objektiv", "Fotografie"], "Das Kameraobjektiv", 1.0),  # the last part says what a compound is
        (["Objektiv", "Fotografie"], "Objektivdeckel", 0.0),
        (["маска", "слой"], "Слои и маски", 2.0),
        (["маска", "ось"], "Скорость", 0.0),  # no compound, though it ends so
        (["레이어", "마스크"], "레이어와 마스크를", 2.0),
        (["레이어", "마스크"], "클리핑마스크", 1.0),
        (["レイヤー", "買い物"], "レイヤーグループで買い物を", 2.0),
        (["चार्ट", "अक्ष"], "चार्ट का अक्ष", 2.0),
    ],
)
def test_words_of_any_script_are_found_as_they_are_inflected(
    arguments: list[str], title: str, found: float
) -> None:
    assert words_in_title(arguments, title) == found


@pytest.mark.parametrize(
    ("arguments", "on", "off"),
    [
        ("hiking", ["Hiking", "a hike", "we hiked", "hikes"], ["a biker"]),
        ("hike", ["hiking", "hikes"], ["hi"]),
        ("skiing", ["to ski", "skis"], ["sky"]),
        ("university", ["universities", "University"], ["universal", "universe"]),
        ("batteries", ["battery"], ["batter"]),
        ("houses", ["a house"], ["housing"]),
        ("banking", ["Banking"], ["a bank", "banks"]),
        ("training", ["trainings"], ["a train"]),
        ("wedding", ["weddings"], ["Wed 14 May"]),
    ],
)
def test_an_english_word_counts_in_its_forms_where_the_stem_is_no_other_common_word(
    arguments: str, on: list[str], off: list[str]
) -> None:
    classifier = classifier_of([arguments], bias=-1.0, title=2.0)
    found = {title: classifier.relevance(page(("title", title))) > 0.5 for title in on + off}
    assert found == {title: title in on for title in on + off}


@pytest.mark.parametrize("arguments", [["猫"], ["猫", "猫粮"], ["貓"]])
def test_a_word_of_one_character_counts_where_it_is_a_word(arguments: list[str]) -> None:
    topic = understood(topic_from_keywords(arguments, "own"))
    classifier = EvidenceClassifier(topic, {**NONE, "bias": -1.0, "title": 2.0})
    assert "猫" in classifier.words
    own = topic.segmenter

    def relevance(title: str) -> float:
        return classifier.relevance(PageWords(segments=with_words([("title", title)], own)))

    titles = ["我家的猫", "養一隻貓", "猫：品种", "天猫超市", "熊猫基地"]
    assert [relevance(title) > 0.5 for title in titles] == [True, True, True, False, False]


def test_a_word_of_one_character_counts_within_words_of_a_title_only_if_the_text_has_it_alone() -> None:
    topic = understood(topic_from_keywords(["猫"], "own"))
    classifier = EvidenceClassifier(topic, {**NONE, "bias": -1.0, "title": 2.0})

    def relevance(title: str, text: str) -> float:
        texts: list[tuple[Kind, str]] = [("title", title), ("text", text)]
        return classifier.relevance(PageWords(segments=with_words(texts, topic.segmenter)))

    of_cats = "一只猫每天要喝水，我家的猫很安静，这只猫不怕人。"
    of_a_shop = "天猫：熊猫玩偶打折，一只猫。天猫：猫粮包邮，一只猫。天猫：熊猫。天猫：一只猫。"
    assert [relevance(title, of_cats) > 0.5 for title in ("养猫", "猫咪", "养狗")] == [True, True, False]
    assert [relevance(title, of_a_shop) > 0.5 for title in ("天猫", "一只猫")] == [False, True]


JAPANESE = "東方の新作ゲームが発売されました。キャラクターの紹介と攻略はこちらです。" * 5
CHINESE = "东方网讯：东方卫视今日播出新节目，游戏玩家不要错过，东方明珠灯光秀。" * 5


@pytest.mark.parametrize("arguments", [["東方", "ゲーム"], ["東方", "駅"]])
def test_a_japanese_topic_does_not_count_chinese_names(arguments: list[str]) -> None:
    classifier = classifier_of(arguments, bias=-1.0, title=2.0)
    of_japanese = page(("title", "東方"), ("text", JAPANESE))
    of_chinese = page(("title", "东方网"), ("title", "东方"), ("text", CHINESE + "鲜の味"))
    assert [classifier.relevance(one) > 0.5 for one in (of_japanese, of_chinese)] == [True, False]
    assert "东方" in {word for one in classifier.observe(of_japanese) for word in one.counts}
    assert not any(one.counts for one in classifier.observe(of_chinese))


def test_a_korean_topic_does_not_either_and_a_chinese_one_does() -> None:
    korean = classifier_of(["東方", "신화"], bias=-1.0, title=2.0)
    chinese = classifier_of(["東方", "電視"], bias=-1.0, title=2.0)
    found = page(("title", "东方"), ("text", CHINESE))
    assert [one.relevance(found) > 0.5 for one in (korean, chinese)] == [False, True]
    of_korean = page(("title", "東方"), ("text", "동방신기의 새 앨범이 발매되었습니다." * 5))
    assert korean.relevance(of_korean) > 0.5
