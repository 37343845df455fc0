"""What a host answers for several URLs, tries of challenged URLs, and the summary's lines."""

from topiccrawler.crawling import challenges as module
from topiccrawler.crawling.challenges import MOST_TRIES, SAME_CHALLENGES, SAME_TEXTS, Challenges
from topiccrawler.pages.challenge_signs import CHALLENGE, LOGIN_WALL, SOFT_404, Challenge, Signs, signs_of
from topiccrawler.pages.main_text import main_text
from topiccrawler.pages.parse import parse
from topiccrawler.pages.title import title_of

CLOUDFLARE = Challenge(CHALLENGE, "Cloudflare", ("mark", "title"))


def signs(html: str, url: str) -> Signs | None:
    document = parse(html)
    return signs_of(html, document, title_of(document), main_text(document), url)


def kinds(challenges: Challenges, html: str, urls: list[str]) -> list[str | None]:
    found = [challenges.of(signs(html, url), url) for url in urls]
    return [None if one is None else one.kind for one in found]


def test_a_text_of_what_is_not_there_is_a_soft_404_from_the_fifth_url_of_its_host_on() -> None:
    html = "<title>提示</title><p>抱歉，您访问的页面不存在（编号 {}）。</p><a href=/>首页</a>"
    challenges, urls = Challenges(), [f"http://a.cn/{number}.html" for number in range(SAME_TEXTS + 1)]
    found = [kinds(challenges, html.format(number), [url])[0] for number, url in enumerate(urls)]
    assert found == [None] * (SAME_TEXTS - 1) + [SOFT_404] * 2
    assert kinds(challenges, html, ["http://b.cn/1"]) == [None]
    assert kinds(Challenges(), html, urls[:1] * 9) == [None] * 9  # one URL that is fetched again


def test_a_hidden_script_without_text_is_a_challenge_from_the_third_url_on() -> None:
    urls = [f"http://a.cn/{number}" for number in range(SAME_CHALLENGES)]
    html = "<html><script>eval(_0x1234('abc'))</script></html>"
    assert kinds(Challenges(), html, urls) == [None] * (SAME_CHALLENGES - 1) + [CHALLENGE]


def test_a_url_is_tried_again_twice_and_the_place_of_the_challenge_is_remembered() -> None:
    challenges = Challenges()
    url, place = "http://a.cn/1", "http://a.cn/verify"
    again = [challenges.is_tried_again(url, [place], CLOUDFLARE) for _ in range(MOST_TRIES)]
    assert again == [True] * (MOST_TRIES - 1) + [False]
    assert (challenges.behind(place), challenges.behind(url)) == (CLOUDFLARE, None)


def test_memory_is_bounded() -> None:
    challenges = Challenges()
    for number in range(module.MOST_REMEMBERED + 100):
        gone = Signs(None, number, is_gone=True)
        assert challenges.of(gone, f"http://a.cn/{number}") is None
        challenges.is_tried_again(f"http://a.cn/{number}", [], CLOUDFLARE)
    assert len(challenges._texts) == len(challenges._tries) == module.MOST_REMEMBERED


def test_lines_name_the_sites_with_most_of_them() -> None:
    challenges = Challenges()
    for host, kind, count in (("x.cn", CLOUDFLARE, 3), ("y.cn", Challenge(LOGIN_WALL), 2)):
        for _ in range(count):
            challenges.count(f"http://{host}/", kind)
    for number in range(5):
        challenges.count(f"http://z{number}.cn/", Challenge(SOFT_404))
    assert challenges.lines() == [
        "3 pages of x.cn were challenges (Cloudflare)",
        "2 pages of y.cn were login walls",
        *(f"1 pages of z{number}.cn were soft 404s" for number in range(3)),
        "2 pages of 2 more sites were challenges, login walls or soft 404s",
    ]
