"""The prompt: two messages, stable text first, bounded, the same from version to version."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desbench.episode import Episode, make_runner
from desbench.language import prompt
from desbench.language.prompt import CONTRACT, KEYS, bounded, corrected, messages, schema, tokens
from desbench.language.settings import Settings
from desbench.protocol.decision import KINDS
from desbench.sweep.controllers import Asked
from language.golden import FOLDER, PARADIGMS, example, files
from protocol.pages import shown


def views(paradigm: str = "holonic_hybrid", case: str = "smoke-s00") -> list[Any]:
    """Every view of an episode played by the rules."""
    episode, runner, seen = Episode("smoke", case, paradigm), make_runner(), []
    for decision in episode:
        seen += decision["active_agents"].values()
        episode.act(runner.select_actions(decision))
    return seen


def test_golden_prompts() -> None:
    """A changed prompt is another experiment: it must be changed on purpose, and be seen."""
    made = files()
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    assert kept.keys() == made.keys()
    for name, text in kept.items():
        assert text == made[name], f"{name}: run `python tests/language/golden.py` if this is meant"


def test_the_page_shows_a_golden_prompt_and_its_schema() -> None:
    """What a reader checks an own server against is what is sent."""
    assert shown("language_models.md", "prompt") == example()


def test_golden_prompts_cover_kinds_and_paradigms() -> None:
    """One of each kind of the four paradigms is on file; nothing is left to imagination."""
    names = {path.stem for path in FOLDER.glob("*.json")}
    assert {name.partition("-")[0] for name in names} == set(PARADIGMS)
    assert {name.partition("-")[2] for name in names} == set(KINDS)


def test_two_messages_stable_text_first() -> None:
    """Servers reuse a prefix they have read: what changes least must come first."""
    first, second = [view for view in views() if view["kind"] == "dispatch"][:2]
    (system, one), (_, two) = messages(first), messages(second)
    assert system == {"role": "system", "content": CONTRACT}
    assert one["role"] == "user"
    assert list(json.loads(one["content"])) == list(KEYS)
    shared = 0
    while one["content"][shared] == two["content"][shared]:
        shared += 1
    assert '"decision_factors"' in one["content"][:shared]


def test_the_prompt_carries_only_what_an_agent_may_read() -> None:
    """The complete observation is for programs; a prompt holds its bounded digest."""
    content = json.loads(messages(views()[0])[1]["content"])
    assert "observation" not in content
    assert "action_mask" not in content
    assert "not_offered" in content


def test_prompts_fit_their_schema() -> None:
    """The page states a JSON schema; every payload of four episodes must fit it."""
    jsonschema = pytest.importorskip("jsonschema", reason="comes with desbench[agentscope]")
    checks = {kind: jsonschema.Draft202012Validator(schema(kind)) for kind in KINDS}
    for paradigm in PARADIGMS:
        for view in views(paradigm):
            checks[view["kind"]].validate(json.loads(messages(view)[1]["content"]))


def test_the_size_is_bounded_by_the_number_of_options() -> None:
    """A plant of any size sends at most K options: 300 characters each and a fixed rest."""
    for view in views():
        slots = len(view["action_mask"])
        assert len(messages(view)[1]["content"]) < 900 + 400 * slots
        assert len(view["options"]) < slots


@pytest.mark.parametrize("lines, kept", [(3, 3), (100, 12)])
def test_a_memory_is_cut_at_its_oldest_lines(lines: int, kept: int) -> None:
    """600 characters: 12 lines of 49 and their breaks fit, the newest ones."""
    text = "\n".join(f"{number:049}" for number in range(lines))
    cut = bounded(text)
    assert len(cut) <= 600
    assert cut.splitlines() == text.splitlines()[-kept:]


def test_a_re_ask_says_what_was_wrong_at_the_end() -> None:
    """The body must differ, or a deterministic server would repeat itself."""
    asked = messages(views()[0])
    again = corrected(asked, "wrong")
    assert again[0] == asked[0]
    assert again[1]["content"].startswith(asked[1]["content"][:-1])
    assert json.loads(again[1]["content"])["correction"] == "wrong"


def test_tokens_are_counted_by_the_stated_method() -> None:
    """Bytes / 3, rounded up, + 4 a message: 5 bytes are 2 tokens."""
    assert tokens([{"role": "user", "content": "abcde"}]) == 6
    assert tokens([{"role": "user", "content": "ä" * 3}]) == 6


def test_another_prompt_is_another_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its version stands in the key of every run, so old results never pass for new ones."""
    asked = Asked("native", "rules", (), Settings(model="M"))
    before = asked.digest
    monkeypatch.setattr(prompt, "VERSION", "another")
    assert asked.digest != before
