"""AuthorityMode: what is refused, how a mode is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desbench.errors import InputError
from desbench.paradigms import ALIASES, AuthorityMode, paradigm, register_authority_mode
from protocol.playing import decisions, play
from protocol.worked import four_items


@pytest.mark.parametrize(
    "wrong",
    [
        {"routing_authority_mode": "responsible"},
        {"cell_contract_actions": "counter"},
        {"plant_reroute_required": "yes"},
        {"mediated_bid_round_enabled": 1},
        {"mode_id": " "},
    ],
)
def test_unknown_values_are_refused_with_name_and_value(wrong: dict[str, Any]) -> None:
    """A misspelt switch must not silently become another organisation."""
    ((name, value),) = wrong.items()
    with pytest.raises(InputError, match=f"{name}={value!r}"):
        AuthorityMode(**{"mode_id": "mine", "routing_authority_mode": "plant_direct", **wrong})


def test_aliases_name_the_shipped_paradigms() -> None:
    """The short names of the paper are accepted."""
    assert {alias: paradigm(alias).mode_id for alias in ALIASES} == ALIASES


def test_a_registered_mode_is_found_and_recorded() -> None:
    """F.3 of the paper: one registration makes a paradigm, and its id stands in the trace."""
    mode = AuthorityMode("test_registered", "holonic_hybrid", "accept_reject", True, False, True)
    register_authority_mode(mode)
    assert paradigm("test_registered") is mode
    episode = play(four_items(), "test_registered")
    assert set(decisions(episode, "authority")) == {("test_registered",)}


def test_an_id_names_one_mode() -> None:
    """Two organisations under one name would mix in every table."""
    register_authority_mode(AuthorityMode("test_taken", "plant_direct"))
    register_authority_mode(AuthorityMode("test_taken", "plant_direct"))  # the same one: fine
    for name in ("test_taken", "centralized_plant", "holonic"):
        with pytest.raises(InputError, match="is taken"):
            register_authority_mode(AuthorityMode(name, "mediated_cnp"))


@pytest.mark.parametrize(
    "text, message",
    [
        ("MODE = AuthorityMode('of_file', 'mediated_cnp')", None),
        ("register_authority_mode(AuthorityMode('of_file_2', 'mediated_cnp'))", None),
        ("", "holds 0 authority modes"),
        (
            "register_authority_mode(AuthorityMode('of_file_3', 'plant_direct'))\n"
            "register_authority_mode(AuthorityMode('of_file_4', 'plant_direct'))",
            "holds 2 authority modes",
        ),
    ],
)
def test_a_file_is_a_paradigm(tmp_path: Path, text: str, message: str | None) -> None:
    """A path works wherever a name does, with a variable or with the paper's registration."""
    file = tmp_path / "mine.py"
    head = "from desbench.paradigms import AuthorityMode, register_authority_mode\n"
    file.write_text(head + text, encoding="utf-8")
    if message is None:
        assert paradigm(str(file)).routing_authority_mode == "mediated_cnp"
        assert paradigm(str(file)) == paradigm(str(file))
    else:
        with pytest.raises(InputError, match=message):
            paradigm(str(file))
