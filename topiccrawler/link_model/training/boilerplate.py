"""Words that stand at links whatever they lead to: they are counted for no class.

The conflict: 目录, 标签, 搜索 and github stand at links of every site, so training always finds some number for them; but
the number tells how the sites of that training were built (tags: a portal's tag pages are off topic; github: a place
of programmers), and on the next site it drowns what the other words say. So they teach nothing and weigh nothing.

But: common words that a topic lives on are no boilerplate (手机, 统计, 条款, 地图), nor are a topic's own keywords, whatever
    they are (links.sources.furniture_beside). The paper's models in the evaluation table count every word.
Measured (models/README.md, "Furniture"): average precision on links of small sites and blogs, finance .808 to .830,
    health .645 to .752, travel .563 to .619; links to other companies' sites .959 to .968 F1.
"""

from __future__ import annotations

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

BOILERPLATE: frozenset[str] = STOP_WORDS | frozenset(f"{_SITE} {_LATIN}".split())
