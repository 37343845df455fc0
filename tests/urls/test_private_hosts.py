import pytest

from topiccrawler.urls.canonical import canonical, host_of
from topiccrawler.urls.redirect_targets import redirect_target
from topiccrawler.urls.unwanted import address_of, is_inside, is_private, is_private_answer


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),  # noqa: S104 an address to refuse
        ("127.0.0.1.", "127.0.0.1"),
        ("１２７。０．０｡１", "127.0.0.1"),
        ("①②⑦.0.\u200b0.1", "127.0.0.1"),
        ("%31%32%37.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("fe80::1%25eth0", "fe80::1"),
        ("a.example", None),
        ("163.com", None),
        ("1.2.3.4.5", None),
        ("", None),
    ],
)
def test_an_address_is_read_in_every_way_it_may_be_spelt(name: str, address: str | None) -> None:
    assert address_of(name) == address


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200",  # noqa: S104
        "198.18.0.7", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fec0::1", "fd00:ec2::254",
        "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::808:808", "2002:7f00:1::",
        "2a00:1450::5efe:10.0.0.1",
    ],
)  # fmt: skip
def test_what_leads_into_this_machine_or_its_network_is_private(address: str) -> None:
    assert is_private(address)
    assert is_inside(address)


@pytest.mark.parametrize(
    "address", ["114.114.114.114", "2400:3200::1", "64:ff9b::7272:7272", "2002:7272:7272::"]
)
def test_what_lies_in_the_open_is_not(address: str) -> None:
    assert not is_private(address)
    assert not is_inside(address)


def test_what_a_local_proxy_answers_for_every_name_is_no_private_answer() -> None:
    assert not is_private_answer("198.18.0.7")
    assert is_private_answer("fe80::1%eth0")
    assert not is_private_answer("a.example")


@pytest.mark.parametrize(
    "name",
    [
        "localhost", "LocalHost.", "ｌocalhost", "app.localhost", "localhost.localdomain", "localhost6.localdomain6",
        "ip6-localhost", "ip6-loopback", "printer", "nas.local", "metadata.google.internal", "router.home.arpa",
        "256.0.0.1", "1.2.3.4.5", "4294967297", "a.0x7f", "",
    ],
)  # fmt: skip
def test_a_name_that_only_a_private_network_resolves_is_inside(name: str) -> None:
    assert is_inside(name)


@pytest.mark.parametrize(
    "name", ["163.com", "www.新浪.cn", "localhost.com", "mylocalhost.cn", "10.0.0.1.example.com", "0x.cn"]
)
def test_a_name_that_must_be_resolved_is_not(name: str) -> None:
    assert not is_inside(name)


@pytest.mark.parametrize(
    "host",
    [
        "0x7f.1", "2130706433", "017700000001", "127.1", "0x7F000001", "127.0.0.1.", "%31%32%37.1", "１２７．０．０．１", "①②⑦.1", "127。0。0。1",
        "[::ffff:127.0.0.1]", "[0:0::1]", "10.1", "192.168.257", "0xa9fea9fe", "ｌｏｃａｌｈｏｓｔ", "me@127.1", "a.example@0x7f.1", "ⓛocalhost.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("port", ["", ":80", ":0080", ":8080"])
def test_a_private_host_is_recognised_however_a_link_or_a_redirect_spells_it(host: str, port: str) -> None:
    for written in (
        f"http://{host}{port}/x",
        f"//{host}{port}/x",
        f"http:\\\\{host}{port}/x",
        f"ｈｔｔｐ：／／{host}{port}／x",
    ):
        found = canonical(written, "http://a.cn/b/")
        assert found is not None
        assert is_inside(host_of(found).removesuffix(":8080"))
    target = redirect_target("http://a.cn/b/", f"http://{host}{port}/x".encode())
    assert target is not None
    assert is_inside(host_of(canonical(target) or "").removesuffix(":8080"))
