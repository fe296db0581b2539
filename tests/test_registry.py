"""The registry: names from files, paths wherever a name is accepted, nothing imported early."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desbench import registry
from desbench.errors import InputError
from desbench.instances.suite import Suite
from instances.files import SHOP, write


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    text = "class MyRunner:\n    size = 3\n\n\nLOADED = []\n"
    return write(tmp_path, text, "my_runner.py")


@pytest.fixture
def registered() -> Iterator[str]:
    registry.register("paradigms", "mine", 42)
    yield "mine"
    registry.unregister("paradigms", "mine")


def test_file_names_are_names() -> None:
    """Suites are found in their installed package, wherever that is."""
    assert {"smoke", "intercell_a5c12_harder", "intercell_a3c9_wide"} <= set(
        registry.names("suites")
    )
    assert isinstance(registry.load("suites", "smoke"), Suite)


@pytest.mark.parametrize("kind", registry.KINDS)
def test_listing_names_imports_none_of_them(kind: str) -> None:
    """`desbench list` stays light, and a broken plug-in does not break it."""
    code = (
        "import sys; from desbench import registry; names = registry.names(sys.argv[1]);"
        "package = registry.PACKAGES[sys.argv[1]];"
        "print([n for n in names if f'{package}.{n}' in sys.modules], 'yaml' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, kind], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] False\n"


def test_an_unknown_name_is_answered_with_what_is_near() -> None:
    """A typo costs one look, not a search."""
    with pytest.raises(InputError, match="no suite 'smoek'; did you mean 'smoke'"):
        registry.load("suites", "smoek")
    with pytest.raises(InputError, match=r"no suite 'qqq'; known: .*smoke"):
        registry.load("suites", "qqq")
    with pytest.raises(InputError, match="kind='suits', must be one of suites"):
        registry.names("suits")


def test_a_path_is_accepted_where_a_name_is(tmp_path: Path, runner: Path) -> None:
    """A suite by path; a module by path; a name in a module by path, loaded once."""
    assert registry.load("suites", str(write(tmp_path, SHOP))).name == "shop"
    module = registry.load("controllers", str(runner))
    assert registry.load("controllers", f"{runner}:MyRunner").size == 3
    assert registry.load("controllers", str(runner)) is module
    entry = registry.find("controllers", f"{runner}:MyRunner")
    assert (entry.name, entry.attribute, len(entry.digest)) == ("my_runner", "MyRunner", 64)


def test_an_edited_file_is_another_one(tmp_path: Path, runner: Path) -> None:
    """Content makes the key: an edit in one session is seen, with another digest."""
    before = registry.find("controllers", str(runner)).digest
    write(tmp_path, "class MyRunner:\n    size = 4\n", "my_runner.py")
    assert registry.find("controllers", str(runner)).digest != before
    assert registry.load("controllers", f"{runner}:MyRunner").size == 4


def test_paths_that_lead_nowhere_are_refused(tmp_path: Path, runner: Path) -> None:
    """Missing file, folder, wrong ending, missing attribute: each in words."""
    with pytest.raises(InputError, match="no such file"):
        registry.load("suites", str(tmp_path / "none.yaml"))
    with pytest.raises(InputError, match=r"must be a \.yaml or \.yml file"):
        registry.load("suites", str(tmp_path))
    with pytest.raises(InputError, match=r"must be a \.py file"):
        registry.load("paradigms", "./x.yaml")
    with pytest.raises(InputError, match="has no 'MyRuner'; did you mean 'MyRunner'"):
        registry.load("controllers", f"{runner}:MyRuner")


def test_a_broken_file_leaves_nothing_behind(tmp_path: Path) -> None:
    """The author's own error is shown, and the next try imports anew."""
    path = write(tmp_path, "1 / 0\n", "broken.py")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            registry.load("paradigms", str(path))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("smoke", False),
        ("./smoke", True),
        ("shop.yaml", True),
        ("a.py:Name", True),
        ("C:\\shops\\a.py:Name", True),
        ("rules:Name", False),
    ],
)
def test_what_counts_as_a_path(text: str, expected: bool) -> None:
    """A slash of either kind or an ending; the colon of a drive is no attribute."""
    assert registry.is_path(text) is expected


def test_registered_things_come_first(registered: str) -> None:
    """User code may make its own known without a file."""
    assert registry.load("paradigms", registered) == 42
    assert registered in registry.names("paradigms")
    with pytest.raises(InputError, match="must be a name, not a path"):
        registry.register("paradigms", "./x.py", 1)
