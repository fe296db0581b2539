"""The gate: what counts as an answer, and what each answer that does not count is called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desbench.language.reply import OUTCOMES, Reply, Verdict, correction, judge

LEGAL = [0, 1, 16]


@pytest.mark.parametrize(
    "text, outcome, action",
    [
        ('{"action": 1}', "ok", 1),
        (' \n{"action":16}\n', "ok", 16),
        ('{"action": 0, "reason": "2 is full"}', "ok", 0),
        ('{"action": 7}', "illegal", 7),
        ('{"action": -1}', "illegal", -1),
        ('{"action": 99999999999999999999}', "illegal", 99999999999999999999),
        ('{"action": true}', "wrong_type", None),
        ('{"action": "1"}', "wrong_type", None),
        ('{"action": 1.0}', "wrong_type", None),
        ('{"action": null}', "wrong_type", None),
        ('{"action": [1]}', "wrong_type", None),
        ('{"job": "J7"}', "malformed", None),
        ('{"action": NaN}', "malformed", None),
        ('{"action": 1, "action": 0}', "malformed", None),
        ('{"action": 1}{"action": 0}', "malformed", None),
        ('[{"action": 1}]', "malformed", None),
        ("1", "malformed", None),
        ("action 1", "malformed", None),
        ('```json\n{"action": 1}\n```', "malformed", None),
        ('Sure: {"action": 1}', "malformed", None),
        ('{"action": 1', "malformed", None),
        ("[" * 100_000, "malformed", None),
        ('{"action": ' + "1" * 5000 + "}", "malformed", None),
        ("", "empty", None),
        (None, "empty", None),
        ("  \n", "empty", None),
    ],
)
def test_one_json_object_with_a_legal_integer(
    text: str | None, outcome: str, action: int | None
) -> None:
    """Nothing is repaired: a fence, a string or a bool is not what the contract asks for."""
    assert judge(Reply(text), LEGAL) == Verdict(action, outcome)


def test_prose_never_lends_its_numbers() -> None:
    """C03: 1 is legal and stands in the prose; the explicit answer is 7, so it is illegal."""
    text = 'I considered 1 but it blocks M1. {"action": 7}'
    assert judge(Reply(text), LEGAL) == Verdict(7, "illegal")


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_around_an_answer_is_accepted(before: str, after: str) -> None:
    """Only white space may stand beside the object, whatever the words are."""
    text = before + ' {"action": 1} ' + after
    verdict = judge(Reply(text), LEGAL)
    is_plain = text.strip() == '{"action": 1}'
    assert (verdict.outcome == "ok") == is_plain
    assert verdict.outcome in OUTCOMES


@pytest.mark.parametrize("text", ['{"action": 1}', '{"action": ', "", None])
def test_a_cut_answer_is_truncated_before_any_parsing(text: str | None) -> None:
    """C16: an answer that ended at the token limit may look whole, or empty; it is neither."""
    assert judge(Reply(text, "length"), LEGAL) == Verdict(None, "truncated")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(None, "stop", "I cannot."),
        Reply("", "content_filter"),
        Reply('{"action": 1}', "stop", "no"),
    ],
)
def test_a_refusal_is_an_outcome_of_its_own(reply: Reply) -> None:
    """Without it a refusal would look like an empty answer, and nobody would look for the cause."""
    assert judge(reply, LEGAL) == Verdict(None, "refusal")


def test_the_correction_names_the_mistake_and_the_choice() -> None:
    """A re-ask that says less would be the same question."""
    told = correction(Verdict(7, "illegal"), LEGAL)
    assert "illegal: 7" in told
    assert "0, 1, 16" in told
