"""Stop words: function words, and words that every site's navigation has.

Function words and 更多, 首页, 下一页 are the commonest words of links on topic and off it. A topic built
from texts must not choose them, but a classifier may use them. So they are listed here and stay in the token stream.
Compiled by us; only words of two or more characters, as `text.tokenise` gives.
"""

from __future__ import annotations

from topiccrawler.text.stems import with_stems

_FUNCTION_WORDS = """
我们 你们 他们 她们 它们 咱们 自己 大家 人家 别人 有人 某人 任何 所有 一切 各种 各个 每个 每次 某个 某些 一些 有些 哪些 那些 这些
这个 那个 哪个 这样 那样 怎样 这里 那里 哪里 这儿 那儿 这么 那么 怎么 什么 为什么 多少 几个 为何 如何 是否 谁的
因为 所以 由于 因此 因而 于是 从而 但是 可是 不过 然而 虽然 尽管 即使 如果 假如 要是 只要 只有 除非 无论 不管 不论 既然 而且 并且 以及
或者 还是 不仅 不但 甚至 何况 况且 否则 与其 宁可 以便 以免 以致 例如 比如 譬如 即可 也就是说 换句话说 总之 另外 此外 同时 然后 接着
关于 对于 根据 按照 依照 通过 经过 随着 为了 除了 至于 作为 以来 之前 之后 之间 之中 其中 其他 其它 其余 以前 以后 以上 以下 以内 以外
已经 曾经 正在 刚刚 刚才 马上 立刻 一直 一向 总是 经常 常常 往往 有时 偶尔 再次 仍然 仍旧 依然 依旧 还要 还有 也许 可能 大概 大约 或许
非常 十分 特别 比较 更加 越来越 极其 相当 几乎 差不多 至少 至多 最多 最少 不再 不会 不能 不要 不是 不同 没有 没什么 不得不 可以 能够
应该 应当 必须 需要 想要 愿意 觉得 认为 以为 知道 看到 表示 进行 成为 得到 使得 起来 出来 下来 上来 过来 过去 下去 进来 进去 出去 回来
一个 一种 一次 一样 一般 一定 一下 一点 一起 一边 两个 几乎 许多 很多 不少 大量 全部 部分 多种 本身 本人 来说 来自 而言 所谓 以此 就是
只是 便是 都是 也是 而是 还会 就会 都会 都有 也有 很大 较大 目前 当前 现在 如今 今天 昨天 明天 当时 那时 此时 时候 时间 左右 上述 下列
"""

_ENGLISH = """
the of and to in is for on that with as by at from it an be are was were this or not you your we our have has had can will all
but they their if which about more when what who how there been would do does did so no up out my me he she his her its us them
than then into over under after before also just only very
"""

_NAVIGATION = """
首页 主页 返回 返回首页 更多 更多内容 查看更多 查看 详情 点击 点击进入 进入 下一页 上一页 上一篇 下一篇 下页 上页 尾页 末页 顶部 回到顶部
登录 登陆 注册 退出 会员 帮助 帮助中心 联系 联系我们 关于我们 关于 网站地图 网站导航 导航 友情链接 链接 版权 版权声明 版权所有 声明 免责声明
隐私 隐私政策 意见反馈 反馈 客服 客户端 手机版 电脑版 旧版 下载 订阅 收藏 分享 评论 留言 回复 转载 原文 来源 作者 编辑 责任编辑 发表 发布
阅读 全文 阅读全文 标签 分类 归档 目录 栏目 频道 列表 专题 文章 上传 搜索 热门 推荐 最新 排行 排行榜 相关 网友 网站 本站 页面 图片 视频
备案 公网 许可证 举报 网址 设为首页 加入收藏 广告服务 诚聘英才 下载app
http https www com cn net org html htm php asp jsp index copyright rss icp
"""

STOP_WORDS: frozenset[str] = with_stems(f"{_FUNCTION_WORDS} {_ENGLISH} {_NAVIGATION}")
