"""Scrapy's cookies ask our list of public suffixes, with the answers of the package that they would ask, which is not imported."""

import subprocess
import sys

import pytest
from tldextract import TLDExtract

from topiccrawler.urls.canonical import is_public_suffix

DOMAINS = (
    "com cn com.cn gov.cn COM.CN a.com github.io foo.github.io blogspot.com co.uk example.co.uk www.ck foo.ck 公司.cn xn--55qx5d.cn"
    " xn--55qx5d localhost intranet 127.0.0.1 city.kobe.jp c.kobe.jp"
)


@pytest.mark.parametrize("domain", DOMAINS.split())
def test_suffixes_are_those_of_tldextract(domain: str) -> None:
    whole = TLDExtract(suffix_list_urls=(), include_psl_private_domains=True)
    assert is_public_suffix(domain) is (not whole(domain).domain)


def test_cookies_of_a_public_suffix_are_refused_without_tldextract() -> None:
    program = """
import sys
import topiccrawler.engine.early_imports
from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response
cookies, url = CookiesMiddleware(), "http://shop.a.com.cn/"
for text in ("a=1; Domain=com.cn", "b=2; Domain=a.com.cn", "c=3"):
    cookies.process_response(Request(url), Response(url, headers={"Set-Cookie": text}))
again = Request(url)
cookies.process_request(again)
print(sorted(again.headers["Cookie"].decode().split("; ")), "tldextract" in sys.modules, "requests" in sys.modules)
import tldextract
print(tldextract.TLDExtract.__module__)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["['b=2', 'c=3'] False False", "tldextract.tldextract"]
