"""The data set Mandarin: sizes, what its items must hold, and the facts that stand beside them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from release import CHECKOUT
from solecism.datasets.catalogue import catalogue_entry
from solecism.datasets.from_templates import load_paradigms, templates_of_language
from solecism.grammar.pairs import draw_pairs
from solecism.grammar.suites import draw_suites
from solecism.lexicon.table import read_tsv
from solecism.root import Root

pytestmark = pytest.mark.nightly

Rows = dict[str, list[dict[str, Any]]]
"""Items by UID."""

ROOT = Root(CHECKOUT)
LEXICON = CHECKOUT / "lexicons" / "zh"

MODIFIERS = ("none", "adjective", "object_relative", "subject_relative")
RELATIVES = ("none", "subject_relative", "coordinated_relative", "embedded_relative")
CLASSES = {
    "classifier": MODIFIERS,
    "garden_path_object": MODIFIERS,
    "garden_path_subject": MODIFIERS,
    "verb_noun": MODIFIERS,
    "missing_object": RELATIVES,
    "subordination": MODIFIERS,
}
"""The classes of the paper (Wang et al. 2021, Table 2) with their kinds of modifiers."""

SUITES = [f"{name}_{modifier}" for name, modifiers in CLASSES.items() for modifier in modifiers]
FURTHER = (
    "aspect_guo", "aspect_le", "aspect_zhe", "ba_active", "bei_passive", "comparative_bi",
    "definiteness_existential", "lian_dou", "negation_experience", "negation_time", "npi_renhe",
    "question_a_not_a", "question_alternative", "reflexive_gender", "reflexive_number",
    "verb_object_compound",
)  # fmt: skip
INTERACTIONS = {
    "comparative_bi", "definiteness_existential", "question_a_not_a", "question_alternative",
}  # fmt: skip
"""Suites that compare two differences of surprisal."""

LESS_LIKELY = {
    "classifier": ("mismatch_1", "mismatch_2"),
    "garden_path_object": ("general",),
    "garden_path_subject": ("general",),
    "verb_noun": ("mismatch",),
    "missing_object": ("missing",),
    "subordination": ("subordinate",),
}
"""The conditions in which the paper (section 3.2) predicts the higher surprisal."""


def drawn(is_pair: bool) -> Rows:
    templates = templates_of_language(ROOT, "mandarin", "zh")
    paradigms = load_paradigms(ROOT, [t for t in templates if t.is_pair == is_pair])
    draw = draw_pairs if is_pair else draw_suites
    return {p.template.id: pa.concat_tables(draw(p)).to_pylist() for p in paradigms.values()}


@pytest.fixture(scope="module")
def suites() -> Rows:
    return drawn(is_pair=False)


@pytest.fixture(scope="module")
def pairs() -> Rows:
    return drawn(is_pair=True)


def items(table: str) -> list[dict[str, str]]:
    """The rows of a table of items by their columns."""
    rows = read_tsv(LEXICON / f"{table}.tsv", ["lemma"])
    _, header = next(rows)
    return [dict(zip(header, cells, strict=True)) for _, cells in rows]


def texts(item: dict[str, Any]) -> dict[str, str]:
    return {condition["name"]: condition["text"] for condition in item["conditions"]}


def tokens(item: dict[str, Any]) -> dict[str, list[str]]:
    return {condition["name"]: condition["tokens"].split() for condition in item["conditions"]}


def test_the_24_suites_of_the_paper_and_16_more(suites: Rows) -> None:
    assert set(suites) == {*SUITES, *FURTHER}
    assert len(SUITES) == 24
    assert min(map(len, suites.values())) >= 40


def test_every_class_has_its_pairs(pairs: Rows) -> None:
    kinds = {name.removesuffix("_pair") for name in pairs}
    reflexives = {f"reflexive_{kind}" for kind in ("masculine", "feminine", "singular", "plural")}
    plain = {name for name in FURTHER if not name.startswith("reflexive")}
    assert kinds == {*plain, "negation_state", *reflexives}
    assert {len(rows) for rows in pairs.values()} == {40}


def test_one_word_differs_in_a_pair(pairs: Rows) -> None:
    for rows in pairs.values():
        for row in rows:
            good, bad = row["tokens_good"].split(), row["tokens_bad"].split()
            assert len(good) == len(bad)
            assert sum(a != b for a, b in zip(good, bad, strict=True)) == 1
            assert row["one_prefix_method"] != row["two_prefix_method"]


def test_the_target_is_the_same_after_another_stimulus(suites: Rows) -> None:
    """In the classifier class two of four comparisons have the same stimulus and another target."""
    for name, rows in suites.items():
        for row in rows:
            for prediction in row["predictions"]:
                found = [_region(row, term) for term in re.findall(r"\w+\.\w+", prediction)]
                half = len(found) // 2
                for worse, better in zip(found[:half], found[half:], strict=True):
                    same = worse["text"] == better["text"], worse["before"] == better["before"]
                    across = name.startswith("classifier") and same == (False, True)
                    assert same == (True, False) or across, row


def test_in_an_interaction_the_sentences_of_a_difference_differ_in_one_word(suites: Rows) -> None:
    found = {name for name, rows in suites.items() if " - " in rows[0]["predictions"][0]}
    assert found == INTERACTIONS
    for name in found:
        for row in suites[name]:
            first, second, third, fourth = re.findall(r"(\w+)\.\w+", row["predictions"][0])
            words = tokens(row)
            for left, right in ((first, second), (third, fourth)):
                changed = zip(words[left], words[right], strict=True)
                assert sum(a != b for a, b in changed) == 1, row


def _region(row: dict[str, Any], name: str) -> dict[str, str]:
    condition, _, region = name.partition(".")
    (found,) = (c for c in row["conditions"] if c["name"] == condition)
    (place,) = (r for r in found["regions"] if r["name"] == region)
    before, after = found["text"][: place["start"]], found["text"][place["end"] :]
    return {"text": place["text"], "before": before, "after": after}


def test_predictions_are_the_papers(suites: Rows) -> None:
    for name, modifiers in CLASSES.items():
        for modifier in modifiers:
            told = {p for row in suites[f"{name}_{modifier}"] for p in row["predictions"]}
            assert len(told) == (4 if name == "classifier" else 1)
            assert {p.partition(".")[0] for p in told} == set(LESS_LIKELY[name])


def test_modified_items_are_the_plain_ones_with_words_put_in(suites: Rows) -> None:
    for name, modifiers in CLASSES.items():
        plain = [tokens(row) for row in suites[f"{name}_none"]]
        for modifier in modifiers[1:]:
            rows = suites[f"{name}_{modifier}"]
            assert len(rows) == len(plain)
            for row in map(tokens, rows):
                origin = [item for item in plain if all(_within(item[c], row[c]) for c in row)]
                assert origin, row


def _within(plain: list[str], modified: list[str]) -> bool:
    """Whether words were put in at one place."""
    more = len(modified) - len(plain)
    starts = range(len(plain) + 1)
    return more > 0 and any(modified[:n] + modified[n + more :] == plain for n in starts)


def test_classifiers_go_with_one_noun_of_their_item(suites: Rows) -> None:
    rows = items("classifier_items")
    right = {(row[f"Clf{n}"], row[f"Noun{n}"]) for row in rows for n in "12"}
    wrong = {(row["Clf2"], row["Noun1"]) for row in rows}
    wrong |= {(row["Clf1"], row["Noun2"]) for row in rows}
    assert not right & wrong
    nouns = Counter(row[f"Noun{n}"] for row in rows for n in "12")
    assert set(nouns.values()) == {1}
    assert "个" not in {classifier for classifier, _ in right}
    assert "个" not in {row["Clf"] for row in items("garden_path_items")}


def test_target_nouns_are_matched_in_frequency() -> None:
    apart = [abs(float(r["Zipf1"]) - float(r["Zipf2"])) for r in items("classifier_items")]
    assert max(apart) <= 0.5
    assert sum(apart) / len(apart) <= 0.25


def test_every_verb_is_once_right_and_once_wrong() -> None:
    rows = items("verb_noun_items")
    chosen = {(row["Verb"], row["Wrong"]) for row in rows}
    assert len({row["Verb"] for row in rows}) == len(rows)
    assert chosen == {(wrong, verb) for verb, wrong in chosen}


def test_regions_begin_where_the_bad_condition_is_bad(suites: Rows) -> None:
    def regions(name: str) -> set[str]:
        conditions = (c for row in suites[name] for c in row["conditions"])
        return {region["text"] for c in conditions for region in c["regions"]}

    assert regions("reflexive_gender") == regions("reflexive_number") == {"自己。"}
    assert all(text[0] == "没" and len(text) > 1 for text in regions("negation_time"))
    assert all(text[0] in "一每" for text in regions("definiteness_existential"))
    assert regions("lian_dou") == {"都"}


def test_baselines_are_good_sentences(suites: Rows) -> None:
    """什么 takes 吗 and 呢, an adjective without a comparison takes 更 and 很."""
    for name in ("question_alternative", "question_a_not_a"):
        for row in suites[name]:
            found = texts(row)
            assert re.search("什么|谁|哪里", found["plain_ma"])
            assert found["plain_ma"].replace("吗", "呢") == found["plain_ne"]
    for row in suites["comparative_bi"]:
        assert not any(word in texts(row)["alone_more"] for word in "比和")


def test_modifiers_do_not_give_the_clash_away() -> None:
    telling = {"斑驳", "厚重", "熟练", "虚弱", "潮湿", "香醇", "酸甜", "潦草", "温顺"}
    rows = items("verb_noun_items")
    assert not telling & {row["Adj"] for row in rows}
    assert not {"演唱", "剥", "抚养", "安慰", "折叠"} & {row["Verb"] for row in rows}


AMBIGUOUS = set(
    "个了于云价伙俊修借克冲准凶出别制千卜占厂历参发只台叶吃合同后向启周咸喂回困坛复夫夸娘宁家尝尽巨布干并"
    "幸广弦当录彩征志念愿才托折拐挂据摆昆暗曲术杯杰松板梁毁汇沾注涂游炼玩症种签系背胜脏致苹荐药获虫表证赞"
    "迹适采里钥钻雕面须麻"
)
"""Characters of our items that have several traditional counterparts in OpenCC's STCharacters."""

TRADITIONAL = """
上台:上臺 上周:上週 下周:下週 专家:專家 个:個 乐曲:樂曲 了:了 了解:瞭解 云:雲 人才:人才 代表:代表
价值:價值 价钱:價錢 作家:作家 修:修 修好:修好 修建:修建 修理:修理 修补:修補 借:借 借给:借給
借走:借走 充当:充當 克服:克服 全家:全家 公布:公佈 关不关注:關不關注 关注:關注 农药:農藥 冲:沖
冲向:衝向 准备:準備 凶狠:兇狠 凶猛:兇猛 出:出 出事:出事 出去:出去 出名:出名 出售:出售 出来:出來
出现:出現 出租:出租 出租车:出租車 出色:出色 别:別 别人:別人 别墅:別墅 制作:製作 制服:制服 前面:前面
千里:千里 占:佔 占领:佔領 历史:歷史 参不参加:參不參加 参军:參軍 参加:參加 参观:參觀 发:發 发出:發出
发布:發佈 发怒:發怒 发明:發明 发火:發火 发现:發現 发给:發給 发表:發表 只:隻 只好:只好 只有:只有
台:臺 吃:吃 吃完:吃完 吃掉:吃掉 吃药:吃藥 吃饭:吃飯 合同:合同 合身:合身 同事:同事 同事们:同事們
同学:同學 同学们:同學們 同情:同情 同意:同意 后不后悔:後不後悔 后人:後人 后天:後天 后悔:後悔 向导:嚮導
向往:嚮往 启发:啟發 咸:鹹 品尝:品嚐 哪里:哪裡 喂:餵 喂饱:餵飽 回:回 回去:回去 回家:回家 回忆:回憶
困难:困難 国家:國家 国家队:國家隊 在家:在家 坠毁:墜毀 坦克:坦克 复杂:複雜 大夫:大夫 大家:大家
夫妇:夫婦 夫妻:夫妻 夸:誇 奖杯:獎盃 姑娘:姑娘 委托:委託 宁静:寧靜 家:家 家乡:家鄉 家具:傢俱
家属:家屬 家里:家裡 导游:導遊 小伙子:小夥子 尽力:盡力 尽管:儘管 展出:展出 属于:屬於 工厂:工廠
巧克力:巧克力 巨大:巨大 巨龙:巨龍 布置:佈置 干净:乾淨 并:並 并且:並且 幸福:幸福 广场:廣場 店里:店裡
康复:康復 弦:弦 当:當 当初:當初 录:錄 录制:錄製 彩虹:彩虹 必须:必須 怀念:懷念 想不想念:想不想念
想念:想念 愿不愿意:願不願意 愿意:願意 战胜:戰勝 房价:房價 手术:手術 手表:手錶 扑向:撲向 打折:打折
批准:批准 技术:技術 拐杖:柺杖 挂:掛 推荐:推薦 提出:提出 摆:擺 摩托车:摩托車 擦干:擦乾 收藏家:收藏家
救出:救出 散发:散發 文坛:文壇 新娘:新娘 旅游:旅遊 昆虫:昆蟲 晒干:曬乾 曲子:曲子 木板:木板 杂志:雜誌
村里:村裡 杯:杯 杰出:傑出 松树:松樹 标志:標誌 案板:案板 桥梁:橋梁 棉布:棉布 歌曲:歌曲 沙发:沙發
沾:沾 注意到:注意到 洞里:洞裡 渔夫:漁夫 游客:遊客 游客们:遊客們 游戏:遊戲 游泳:游泳 烧毁:燒燬
特别:特別 玩:玩 玩具:玩具 电视台:電視臺 画家:畫家 癌症:癌症 真迹:真跡 种:種 种地:種地 种植:種植
科学家:科學家 称赞:稱讚 窗台:窗臺 符合:符合 等于:等於 签:簽 精彩:精彩 精致:精緻 糊涂:糊塗 终于:終於
经历:經歷 老家:老家 老板:老闆 耕种:耕種 联系:聯繫 肮脏:骯髒 背:背 背诵:背誦 能干:能幹 舞台:舞臺
艺术家:藝術家 英俊:英俊 苹果:蘋果 药:藥 药品:藥品 获:獲 获得:獲得 萝卜:蘿蔔 落叶:落葉 表哥:表哥
表姐:表姐 表扬:表揚 西药:西藥 见证:見證 见面:見面 认出:認出 记录:記錄 证书:證書 证据:證據 证明:證明
证词:證詞 评价:評價 词汇:詞彙 象征:象徵 赞美:讚美 走不出:走不出 走向:走向 跑向:跑向 这里:這裡
适合:適合 适应:適應 采访:採訪 里:裡 钥匙:鑰匙 钻:鑽 锅里:鍋裡 锻炼:鍛鍊 雕像:雕像 面:面 面临:面臨
面包:麵包 面条:麵條 饼干:餅乾 麻烦:麻煩 黑暗:黑暗
"""
"""Every word of our items with such a character, as it must come out; read one by one."""


def test_ambiguous_characters_are_converted_rightly(suites: Rows, pairs: Rows) -> None:
    opencc = pytest.importorskip("opencc", reason="needs the extra `zh`")
    convert = opencc.OpenCC(catalogue_entry(ROOT, "mandarin").traditional).convert
    right = dict(word.split(":") for word in TRADITIONAL.split())
    made: defaultdict[str, set[str]] = defaultdict(set)
    for words in all_words(suites, pairs):
        rest = convert("".join(words))
        for word in words:
            made[word].add(rest[: len(word)])
            rest = rest[len(word) :]
    asked = {word: forms for word, forms in made.items() if AMBIGUOUS & set(word)}
    assert asked == {word: {right[word]} for word in asked}
    assert set(right) == set(asked)


def all_words(suites: Rows, pairs: Rows) -> Iterator[list[str]]:
    """The words of every sentence."""
    for rows in suites.values():
        yield from (words for row in rows for words in tokens(row).values())
    for rows in pairs.values():
        yield from (row[f"tokens_{side}"].split() for row in rows for side in ("good", "bad"))
