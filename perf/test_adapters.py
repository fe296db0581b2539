"""What a framework costs for one decision, without a network: all answers come from memory.

`python -m pytest perf/test_adapters.py --benchmark-only`
"""

from __future__ import annotations

from typing import Any

import pytest
from desbench.controllers import make_runner
from desbench.controllers.answering import answer

from desbench.episode import Episode
from desbench.language import loop
from desbench.language.cache import Answer, Answers, canonical, key_of
from desbench.language.prompt import messages
from desbench.language.settings import Settings

FRAMEWORKS = ("native", "langgraph", "agentscope")


def decision() -> dict[str, Any]:
    """The first decision of the smoke suite that asks one agent."""
    found = Episode("smoke", paradigm="hierarchical_chain").decision
    assert found is not None
    assert len(found["active_agents"]) == 1
    return found


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_decision_by_rules(benchmark: Any, framework: str) -> None:
    """The framework and nothing else."""
    if framework != "native":
        pytest.importorskip(framework, reason=f"needs desbench[{framework}]")
    runner, asked = make_runner(framework), decision()
    runner.reset({})
    benchmark(runner.select_actions, asked)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_decision_by_a_kept_answer(benchmark: Any, framework: str, tmp_path: Any) -> None:
    """Prompt, body, key, cache, gate and row besides."""
    if framework != "native":
        pytest.importorskip(framework, reason=f"needs desbench[{framework}]")
    path, asked = str(tmp_path / "answers.sqlite"), decision()
    settings = Settings(model="M", memory="off", cache=path)
    Answers(path).close()
    runner = make_runner(framework, "recorded", (), settings)
    (view,) = asked["active_agents"].values()
    body = canonical(runner.backend.body(view, messages(view), settings.max_tokens))
    kept, url = Answers(path), settings.base_url
    kept.keep(key_of(body, url, 0), body, url, 0, Answer('{"action": 0}', "stop", None, 1, 1, 0.1))
    kept.close()
    runner = make_runner(framework, "recorded", (), settings)
    runner.reset({})
    benchmark(runner.select_actions, asked)


def test_the_way_to_the_loop_and_back(benchmark: Any) -> None:
    """One answer on the loop's own thread: the part that native calls do not pay."""
    backend = make_runner().backend
    (view,) = decision()["active_agents"].values()
    asked = messages(view)
    benchmark(lambda: loop.run(answer(backend, view, asked)))
