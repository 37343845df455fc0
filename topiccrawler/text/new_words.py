"""Words that the segmenter's dictionary lacks and would cut so that characters of them are lost.

They are of the catalogue's topics (tests/topics/test_catalogue.py says when one is missing), and known in every crawl, so that texts are cut
alike whatever topic a process met before. The words of a user's own topic come on top (text.tokenise.learn).
"""

from __future__ import annotations

_WORDS = """
上牌 上链 不敌 不正当竞争 个税 中国好声音 中报 中火 中石油 主线程 云服务 云计算 以太坊 以太币 位运算 余额宝 做多
元宇宙 充电桩 再贷款 冷钱包 出道 函数式 刘强东 创新高 制作人 券商股 劈腿 助记词 包管理 区块链 卡罗拉 压力位 去中心化
去哪儿 双一流 双十一 双离合 反序列化 可穿戴 台积电 后端 哈希值 哈希表 国庆档 国足 埃博拉 堆内存 大教堂 大数据 天秤币
奔跑吧 字段 字节码 存准率 学区房 定妆照 定投 实例化 宫保鸡丁 山寨币 年金 微服务 快男 意面 成长股 我是歌手 新三板
新歌 易烊千玺 暑期档 最高法 比特币 汤唯 沪指 沪深 泰达币 测试网 海岛游 涠洲岛 热搜 热钱包 焯水 爸爸去哪儿 物联网
狗仔 狗狗币 省控线 短视频 矿工费 硬分叉 私有链 稳定币 第三方库 线程池 老鼠仓 联盟链 自由行 英伟达 莱特币 虚拟币 街拍
装饰器 语言班 走红毯 跟团游 车内 软糯 轿跑 迭代器 逆回购 郭艾伦 里皮 钣金 银保监会 银行股 长滩岛 门罗币 隐私币
零知识证明 预言机 饿了么 马竞 高可用 高并发 默克尔树
"""

NEW_WORDS: tuple[str, ...] = tuple(_WORDS.split())
