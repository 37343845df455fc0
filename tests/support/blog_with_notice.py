"""A blog of short pages whose theme repeats a longer notice on each of them."""

SUBJECTS = ("股票", "基金", "债券", "期货", "外汇", "黄金", "保险", "银行")
NOTICE = (
    "本站主题由一位热心的网友制作并免费发布，欢迎下载使用，但请保留页面底部的作者链接。站内文章除特别注明以外均为原创，转载时必须以超链接形式"
    "标明出处和作者信息，未经书面许可不得用于任何商业用途。部分图片来自网络，版权归原作者所有，如有侵犯您的权益请来信告知，我们会在核实之后"
    "尽快删除。站点采用静态页面生成，评论功能由第三方提供，留言审核通过才会显示，请勿发布广告、谩骂和其他违反法律法规的内容。浏览器版本过低"
    "可能导致排版错乱，建议升级到最新版本，或者换用手机阅读。订阅更新可以扫描右侧二维码关注公众号，也可以把本页加入收藏夹，每周日晚上统一"
    "推送一封邮件，退订只需回复两个字。最后感谢每一位长期支持小站的读者，服务器费用全靠大家打赏，名单列在关于页面里，衷心祝愿各位生活愉快。"
)


def body(text: str, *, notice: str = NOTICE) -> bytes:
    """A page of a blog whose theme writes a notice."""
    return f"<title>财经笔记</title><p>{text}</p><p>{{</p><p>{notice}</p>".encode()


def own_text(subject: str) -> str:
    first = (
        f"今天记录{subject}市场的行情，{subject}的价格和成交都有变化，投资者要看清{subject}的风险再做决定。"
    )
    return (
        f"{first}下午收盘以后再补充一些{subject}的数据，明天继续观察{subject}的走势，有空的时候整理成表格。"
    )
