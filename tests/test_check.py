"""`desbench check`: a file of one's own is judged in the words of a run, played and verified."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from desbench.cli import main

ROOT = Path(__file__).resolve().parents[1]

FILES = {
    "shop.yaml": "base: smoke\n",
    "typo.yaml": "base: smoke\nvehicles: {cont: 2}\n",
    "mode.py": "from desbench.paradigms import AuthorityMode\n"
    "MODE = AuthorityMode(mode_id='polite', routing_authority_mode='plant_area_cell')\n",
    "mine.py": "class MyRunner:\n    def select_actions(self, decision):\n"
    "        views = decision['active_agents'].items()\n"
    "        return {agent: view['legal_actions'][0] for agent, view in views}\n"
    "class Silent:\n    def select_actions(self, decision):\n        return {}\n"
    "class Broken:\n    def select_actions(self, decision):\n        return {}['nothing']\n"
    "class Empty: pass\n",
    "lost.py": "import no_such_module_anywhere\n",
    "two.txt": "2 2\n0 1 1 2\n1 1 0 2\n",
    "word.txt": "2 2\n0 1 1 x\n1 1 0 2\n",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files above."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*words: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, list(words))


GOOD = {
    "shop.yaml": ("suite shop: cases 1, profiles 1", 5),
    "mode.py": ("paradigm polite", 2),
    "mine.py:MyRunner": ("controller native-mine.MyRunner", 5),
    "two.txt": ("jsp: shops 1, jobs 2", 0),
}


@pytest.mark.parametrize("path", GOOD)
def test_a_good_file_is_called_by_what_it_is(here: Path, path: str) -> None:
    """What was understood is said: a paradigm taken for a controller would be seen at once."""
    told, played = GOOD[path]
    done, read = command("check", path), command("check", path, "--no-play")
    assert (read.exit_code, read.output) == (0, f"{path}: good, {told}\n")
    end = f"; {played} runs played and verified" if played else ""
    assert (done.exit_code, done.stdout) == (0, f"{path}: good, {told}{end}\n")
    assert {file.name for file in here.iterdir()} == set(FILES), "nothing is written"


@pytest.mark.parametrize(
    ("name", "told"), [("Silent", "answers did not count"), ("Broken", "KeyError: 'nothing'")]
)
def test_a_controller_that_does_not_answer_is_found(here: Path, name: str, told: str) -> None:
    """Such a run would end, by the rules of the fallback, and say nothing about the controller."""
    done = command("check", f"mine.py:{name}")
    assert done.exit_code == 1
    assert done.stdout.count(told) == 5
    assert done.stdout.endswith(
        f"mine.py:{name}: 5 of 5 runs with complaints, controller native-mine.{name}\n"
    )


BAD = {
    "typo.yaml": "run --paradigm centralized --suite",
    "nowhere.yaml": "run --paradigm centralized --suite",
    "mine.py:Empty": "run --suite smoke --controller",
    "mine.py:Nope": "run --suite smoke --controller",
    "lost.py": "run --suite smoke --controller",
    "nowhere.py": "run --suite smoke --controller",
    "word.txt": "import",
}


@pytest.mark.parametrize("path", BAD)
def test_a_bad_file_is_refused_as_a_run_would_refuse_it(here: Path, path: str) -> None:
    """Two wordings of one mistake would be two mistakes to search for."""
    done, run = command("check", path), command(*BAD[path].split(), path)
    assert (done.exit_code, done.stderr) == (2, run.stderr)
    assert done.stderr.count("\n") == 1
    assert "unexpected" not in done.stderr


def test_a_file_without_a_named_class_says_how_to_name_it(here: Path) -> None:
    """The file of a controller may hold any class; alone it would only be refused as a paradigm."""
    done = command("check", "mine.py")
    assert done.exit_code == 2
    assert "a controller is named by its class, mine.py:CLASS" in done.stderr


def test_a_case_that_cannot_be_drawn_is_found_before_the_run(here: Path) -> None:
    """A plan does not draw; a job that no machine can do is found when its case is."""
    (here / "never.yaml").write_text("base: smoke\njobs: {route: fly}\n", encoding="utf-8")
    done = command("check", "never.yaml")
    assert done.exit_code == 2
    assert "fly" in done.stderr


@pytest.mark.parametrize(
    "path",
    [*sorted(ROOT.glob("suites/*.yaml")), *sorted(ROOT.glob("controllers/*/rules.py"))],
    ids=str,
)
def test_what_ships_is_good(path: Path) -> None:
    """The shipped suites are the examples that everybody copies."""
    assert command("check", str(path), "--no-play").exit_code == 0
