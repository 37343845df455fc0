"""Pages about rockets and pages about a basketball team, both for the topic 火箭, and a job that has kept some."""

import random
from collections.abc import Callable
from pathlib import Path

from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.model import Visit
from topiccrawler.store.pages import PageRecord

SPACE = (
    "火箭搭载卫星从发射场升空，进入预定轨道。|航天员在空间站完成了出舱活动。|发动机采用液氧煤油推进剂，推力更大。|"
    "这枚运载火箭的整流罩和助推器已经分离。|探测器将飞往月球和火星，采集土壤样本。|航天局公布了下一次载人飞船的发射窗口。|"
    "科学家通过望远镜观测到小行星的轨道。|飞船返回舱在着陆场安全着陆。|卫星导航系统为全球提供定位服务。"
)
BASKETBALL = (
    "火箭在主场击败勇士，取得三连胜。|球员投篮命中率很高，篮板球也占优。|教练安排后卫首发，中锋替补出场。|"
    "季后赛对阵已经确定，球迷期待总决赛。|他拿下三十分和十个助攻，入选全明星。|这名新秀在选秀大会上被球队选中。|"
    "联盟公布了常规赛的赛程，裁判名单也有变化。|前锋受伤缺阵，球队签下一名自由球员。|三分球是这支球队的主要得分手段。"
)


def texts_of(subject: str, count: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.sample(subject.split("|"), 6)) for _ in range(count)]


def job_of(make_job: Callable[..., Path], texts: list[str]) -> Path:
    records = [
        PageRecord(
            url=f"http://a.cn/{n}", title=text.partition("，")[0], text=text, relevance=0.9, stored=True
        )
        for n, text in enumerate(texts)
    ]
    folder = make_job(
        "rockets", *records, visits=[Visit(one.url, 200, 1.0, 0.9, stored=True, time=1.0) for one in records]
    )
    write_recipe(recipe_of_words(Recipe(""), ["火箭"]), folder)
    return folder
