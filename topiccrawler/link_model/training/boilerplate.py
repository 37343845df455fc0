"""Boilerplate words: words of links whatever they lead to. They are counted for no class.

目录, 标签, 搜索 and github stand at links of every site, so training always finds some weight for them; but it reflects
how the training sites were built, and on the next site it outweighs the other words.

But: common words that a topic needs are no boilerplate (手机, 统计, 条款, 地图), nor are a topic's own keywords
    (link_model.training.sources.boilerplate_beside). The paper's models in the evaluation table count every word.
    Figures: docs/lab/link-models.md, "Boilerplate words".
"""

from __future__ import annotations

from topiccrawler.text.stems import with_stems
from topiccrawler.text.stopwords import STOP_WORDS

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
