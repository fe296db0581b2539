"""The JSON form keeps identity, version and correlation, and everything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desbench.errors import InputError
from desbench.paradigms.responsibility import (
    Authority,
    Bound,
    Evidence,
    Outcome,
    RcpMessage,
    Terms,
    from_json,
    request,
    to_json,
)
from desbench.paradigms.responsibility.protocol import MESSAGES, WITH_TERMS
from responsibility.scenes import terms

WORDS = st.text(min_size=1, max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
LIMITS = st.none() | NUMBERS
EVIDENCE = st.builds(
    *(Evidence, WORDS, WORDS, st.integers()),
    st.dictionaries(WORDS, NUMBERS, max_size=2).map(lambda facts: tuple(facts.items())),
)
TERMS = st.builds(
    Terms,
    st.builds(
        *(Outcome, WORDS, st.none() | st.integers()),
        st.lists(st.builds(Bound, WORDS, LIMITS, LIMITS), max_size=2).map(tuple),
    ),
    st.none() | st.frozensets(WORDS, max_size=2),
    st.builds(Authority, st.lists(WORDS, max_size=2).map(tuple), st.none() | st.integers(0, 3)),
)
NAMES = st.none() | WORDS


@st.composite
def messages(draw: st.DrawFn) -> RcpMessage:
    """Any well-formed message."""
    kind = draw(st.sampled_from(MESSAGES))
    sender, receiver = draw(st.lists(WORDS, min_size=2, max_size=2, unique=True))
    return RcpMessage(
        *(draw(WORDS), kind, sender, receiver, draw(WORDS), draw(WORDS)),
        version=draw(st.integers(1, 99)),
        evidence=tuple(draw(st.lists(EVIDENCE, max_size=2))),
        terms=draw(TERMS) if kind in WITH_TERMS else None,
        promise=draw(st.none() | st.integers()) if kind == "accept" else None,
        parent=draw(NAMES),
        replaces=draw(NAMES),
        chain=(*draw(st.lists(WORDS, max_size=2)), sender) if kind == "request" else (),
        reply_to=draw(NAMES),
        cause=draw(st.text(max_size=8)),
    )


@given(messages())
def test_round_trip(message: RcpMessage) -> None:
    """A message that has travelled is the same message: its duplicates are still duplicates."""
    assert from_json(to_json(message)) == message


def test_the_names_on_the_wire() -> None:
    """Another program reads these names; a change of them is a change of the protocol."""
    asked = request("m1", "c1", ("ann", "bob"), terms())
    assert json.loads(to_json(asked)) == {
        "id": "m1",
        "kind": "request",
        "sender": "ann",
        "receiver": "bob",
        "conversation": "c1",
        "commitment": "c1",
        "version": 1,
        "terms": {
            "outcome": {"what": "hole", "by": 10, "bounds": []},
            "scope": ["drill"],
            "authority": {"terminators": [], "delegations": 1},
        },
        "chain": ["ann"],
    }


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"version": "1"}, "version='1', must be of type int"),
        ({"version": True}, "version=True, must be of type int"),
        ({"sender": None}, "sender=None, must be of type str"),
        ({"urgent": 1}, "has no field 'urgent'"),
        ({"evidence": [{"ref": "r"}]}, "what=None, must be of type str"),
        ({"evidence": [{"ref": "r", "what": "w", "at": 1, "facts": {"kwh": "2"}}]},
         "fact kwh='2', must be a number"),
        ({"evidence": [3]}, "evidence=3, must be an object"),
        ({"terms": {"outcome": {"what": "x", "bounds": [[1]]}, "authority": {"terminators": []}}},
         "must be .name, low, high."),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(change: dict[str, object], complaint: str) -> None:
    """A reply of a language model is refused in words that it can be shown."""
    found = json.loads(to_json(request("m1", "c1", ("ann", "bob"), terms())))
    with pytest.raises(InputError, match=complaint):
        from_json(json.dumps({**found, **change}))


def test_text_that_is_no_json_and_events_of_others_are_refused() -> None:
    """Nobody can make another agent's patience end by a message."""
    with pytest.raises(InputError, match="not JSON"):
        from_json("request")
    event = RcpMessage("m1", "expire", "ann", "ann", "c", "c", 1)
    with pytest.raises(InputError, match="does not travel"):
        from_json(to_json(event))
