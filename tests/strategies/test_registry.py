import pytest

from topiccrawler.errors import StrategyError
from topiccrawler.strategies import STRATEGIES, build, parameters_of


def test_every_strategy_is_found_under_its_own_name() -> None:
    assert {name: build(name).name for name in STRATEGIES} == {name: name for name in STRATEGIES}


def test_an_unknown_strategy_names_the_nearest_and_all_others() -> None:
    with pytest.raises(StrategyError, match=r"^strategy 'best_frist'.*'best_first'\?"):
        build("best_frist")


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(StrategyError, match=r"'gamma'.*best_first"):
        build("best_first", {"gamma": "0.5"})


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("fish_search", "a", "inf"),
        ("fish_search", "width", "1" + 400 * "0"),
        ("fish_search", "depth", "1" + 400 * "0"),
        ("adaptive", "rate", "inf"),
        ("adaptive", "rate", "1e308"),
        ("adaptive", "smoothing", "inf"),
    ],
)
def test_a_number_too_large_to_compute_with_is_refused_in_one_line(name: str, key: str, value: str) -> None:
    with pytest.raises(
        StrategyError,
        match=rf"^strategy parameter {key}=\S+: {name} wants a number from \d\S* to 1e\+0[69]; .*$",
    ):
        build(name, {key: value})


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_the_value_that_a_refusal_names_is_accepted(name: str) -> None:
    for key, default in parameters_of(STRATEGIES[name]).items():
        for text in ("no number", "-5", "nan") if type(default) in {int, float, bool} else ():
            with pytest.raises(StrategyError, match=f"; for example strategy_{key}=") as refused:
                build(name, {key: text})
            build(name, {key: str(refused.value).rpartition("=")[2]})
