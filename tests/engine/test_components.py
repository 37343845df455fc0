"""Under a spider that is not ours, what has nothing to do is not there, and nobody is warned of it."""

from typing import Any

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from topiccrawler.engine.middlewares import BackOffMiddleware, LeaseEndMiddleware, LinkGateMiddleware
from topiccrawler.engine.pipelines import NearDuplicatePipeline, StoragePipeline
from topiccrawler.engine.private_network import PrivateNetworkMiddleware
from topiccrawler.engine.progress import Progress
from topiccrawler.engine.reading import DocumentMiddleware


@pytest.mark.parametrize(
    "component",
    [
        BackOffMiddleware, DocumentMiddleware, LeaseEndMiddleware, LinkGateMiddleware, PrivateNetworkMiddleware, NearDuplicatePipeline,
        StoragePipeline, Progress,
    ],
)  # fmt: skip
def test_a_spider_without_a_runtime_needs_none_of_these(component: Any) -> None:
    with pytest.raises(NotConfigured) as left_out:
        component.from_crawler(get_crawler())
    assert left_out.value.args == ()
