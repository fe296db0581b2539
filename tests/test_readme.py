"""The examples of the README run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from desbench.cli import main
from desbench.paradigms import AuthorityMode, paradigm

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader copies an example before reading anything else; they build on each other."""
    monkeypatch.chdir(tmp_path)
    for number, block in enumerate(blocks("python")):
        exec(compile(block, f"README.md, example {number}", "exec"), {})


def test_the_output_shown_is_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first command of the page, as it stands; its rules and cases make its figures."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, commands()[0])
    assert done.stdout.strip() == blocks("text")[0].strip()


def test_the_paradigm_of_the_readme_is_known_afterwards() -> None:
    """The file that registers a mode is a paradigm from then on."""
    (text,) = (block for block in blocks("python") if "register_authority_mode" in block)
    exec(text, {})
    assert isinstance(paradigm("polite_hierarchy"), AuthorityMode)


def commands() -> list[list[str]]:
    """Every `desbench` command of the README, as words."""
    lines = "\n".join(blocks("bash")).replace("\\\n", " ").splitlines()
    found = [line[line.index("desbench ") :] for line in lines if "desbench " in line]
    return [shlex.split(line, comments=True)[1:] for line in found]


def test_commands_name_only_what_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command of the README works, on one case instead of all and in the order of the page."""
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        Path(name).write_text(text, encoding="utf-8")
    assert len(commands()) >= 6
    for words in commands():
        few = ["--limit", "1"] if words[0] == "run" and "--suite" in words else []
        done = CliRunner().invoke(main, [*words, *few])
        assert done.exit_code == 0, (words, done.output)
