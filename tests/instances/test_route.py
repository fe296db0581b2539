"""The route grammar: every rule, every refusal with its column, and laws over random routes."""

from __future__ import annotations

import contextlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desbench.errors import InputError
from desbench.instances import route


class Fixed:
    """Numbers in a stated order instead of chance."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


@pytest.mark.parametrize(
    "text, numbers, drawn",
    [
        ("cut mill", (), "cut mill"),
        ("(mill:2|turn:1)", (0.66,), "mill"),
        ("(mill:2|turn:1)", (0.67,), "turn"),
        ("(a b:1|c)", (0.4,), "a b"),
        ("a heat?0.3", (0.29,), "a heat"),
        ("a heat?0.3", (0.3,), "a"),
        ("a{3}", (), "a a a"),
        ("a{1,2}", (0.49,), "a"),
        ("a{1,2}", (0.5,), "a a"),
        ("a{0,1} b", (0.0,), "b"),
        ("(a|(b|c) d)", (0.5, 0.5), "c d"),
        ("(a b){2}", (), "a b a b"),
        ("a{1,2}?0.5 b", (0.4, 0.9), "a a b"),
        ("Fräsen säge-2", (), "Fräsen säge-2"),
    ],
)
def test_each_rule_draws_what_it_says(text: str, numbers: tuple[float, ...], drawn: str) -> None:
    """One line per rule of the grammar, with the numbers at the edges of its intervals."""
    generator = Fixed(*numbers)
    assert route.draw(route.parse(text), generator) == drawn.split()
    assert not generator.numbers


@pytest.mark.parametrize(
    "text, column, problem",
    [
        ("", 1, "expected a capability or '('"),
        ("cut mill)", 9, "expected a capability, '(' or the end"),
        ("cut (mill", 10, "expected ')', found end of the route"),
        ("cut ()", 6, "expected a capability"),
        ("cut & mill", 5, "'&' is not part"),
        ("cut heat?", 10, "expected a probability"),
        ("cut heat?1.5", 10, "probability=1.5"),
        ("cut (a:0|b)", 8, "weight=0"),
        ("cut (a:|b)", 8, "expected a weight"),
        ("cut a{2,1}", 7, "repeats=2,1"),
        ("cut a{0}", 7, "repeats=0,0"),
        ("cut a{1.5}", 7, "repeats=1.5"),
        ("cut -1", 5, "'-' is not part"),
        ("3cut", 1, "expected a capability"),
        ("a:2 b", 2, "expected a capability, '(' or the end"),
        ("heat?0.3", 1, "no operation at all"),
        ("a{9999}?0.5 b{9999} c", 1, "operations, must be <= 10000"),
        ("(" * 40 + "a" + ")" * 40, 31, "parentheses inside each other"),
    ],
)
def test_a_route_that_does_not_fit_is_refused_with_its_column(
    text: str, column: int, problem: str
) -> None:
    """Every token is consumed or named; nothing is skipped."""
    with pytest.raises(InputError) as caught:
        route.parse(text)
    assert f"column {column}: " in str(caught.value)
    assert problem in str(caught.value)


def test_weights_and_probabilities_come_out_over_many_draws() -> None:
    """3000 draws of 2:1 and of 0.3 lie within four standard deviations of their expectation."""
    tree = route.parse("(mill:2|turn:1) heat?0.3")
    generator = np.random.default_rng(1)
    counts = Counter(name for _ in range(3000) for name in route.draw(tree, generator))
    assert abs(counts["mill"] - 2000) < 4 * (3000 * 2 / 9) ** 0.5
    assert abs(counts["heat"] - 900) < 4 * (3000 * 0.21) ** 0.5


names = st.sampled_from(["cut", "mill", "turn", "heat"])
routes = st.recursive(
    names,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: " ".join(["cut", *parts])),
        st.lists(st.tuples(inner, st.integers(1, 5)), min_size=1, max_size=3).map(
            lambda branches: "(" + "|".join(f"{text}:{weight}" for text, weight in branches) + ")"
        ),
        st.tuples(inner, st.integers(0, 2), st.integers(1, 2)).map(
            lambda t: f"cut ({t[0]}){{{t[1]},{t[1] + t[2]}}}"
        ),
        st.tuples(inner, st.floats(0, 1)).map(lambda t: f"cut ({t[0]})?{t[1]:.3f}"),
    ),
    max_leaves=8,
)


@given(routes, st.integers(0, 2**32))
def test_a_drawn_route_keeps_to_its_grammar(text: str, seed: int) -> None:
    """Length within its bounds, only named capabilities, the same again from the same seed."""
    tree = route.parse(text)
    least, most = route.length(tree)
    drawn = route.draw(tree, np.random.default_rng(seed))
    assert 1 <= least <= len(drawn) <= most
    assert set(drawn) <= route.capabilities(tree)
    assert drawn == route.draw(tree, np.random.default_rng(seed))


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    """No other exception than InputError leaves the parser."""
    with contextlib.suppress(InputError):
        assert route.length(route.parse(text))[0] >= 1
