"""The order of the rooms: a room imports only rooms above it, and short names are for nobody."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: From top to bottom; rooms of one line do not know each other.
ORDER = [
    {"errors"},
    {"registry"},
    {"instances"},
    {"suites"},
    {"_engine"},
    {"protocol"},
    {"language"},
    {"paradigms"},
    {"controllers"},
    {"trace"},
    {"measures"},
    {"report"},
    {"episode"},
    {"compiled"},
    {"verify", "replay", "bounds"},
    {"sweep"},
    {"studies"},
    {"api"},
    {"cli"},
]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
#: Importing room -> rooms it must not use although they stand above it.
FORBIDDEN = {
    "_engine": {"registry"},
    "controllers": {"_engine", "paradigms"},
    "measures": {"_engine", "protocol", "paradigms", "controllers"},
}
#: `registry.load("suites", ..)` hands out Suite objects and imports their room only then.
#: The commitment library knows no other room but errors; it stands where its paradigm does.
EXCEPTIONS = {
    ("registry", "desbench.instances.suite"),
    ("protocol", "desbench.paradigms.responsibility"),
    ("measures", "desbench.paradigms.responsibility"),
}


def sources() -> Iterator[tuple[str, Path]]:
    """Each Python file of the package with the room it stands in."""
    for path in sorted((ROOT / "src/desbench").rglob("*.py")):
        part = path.relative_to(ROOT / "src/desbench").parts[0]
        yield part.removesuffix(".py"), path
    for room in ("controllers", "suites"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield room, path


def imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Modules a file imports, also inside functions; imports for type checkers are not counted."""
    skipped = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for child in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def room_of(module: str) -> str | None:
    """The room of a module of ours."""
    parts = module.split(".")
    return parts[1] if parts[0] == "desbench" and len(parts) > 1 else None


def test_rooms_import_only_rooms_above_them() -> None:
    """A newcomer may read the rooms in order and never meets an unknown name."""
    wrong = []
    for room, path in sources():
        if room in ("__init__", "__main__"):  # the front doors name every room, lazily
            continue
        for module, line in imports(ast.parse(path.read_text(encoding="utf-8"))):
            used = room_of(module)
            if used is None or used == room or used not in LEVEL:
                continue
            if any((room, module[: len(known)]) == (room_, known) for room_, known in EXCEPTIONS):
                continue
            if LEVEL[used] >= LEVEL[room] or used in FORBIDDEN.get(room, ()):
                wrong.append(f"{path.relative_to(ROOT)}:{line} ({room}) imports {module}")
    assert sorted(set(wrong)) == []


def test_every_room_has_its_place() -> None:
    """A new folder or file at the top is put into the order on purpose."""
    rooms = {room for room, _ in sources()} - {"__init__", "__main__"}
    assert rooms <= set(LEVEL)


def test_nobody_imports_the_mapped_folders_by_their_short_names() -> None:
    """`import controllers` works in the checkout by accident and fails once installed."""
    wrong = []
    files = [path for _, path in sources()] + sorted((ROOT / "tests").rglob("*.py"))
    for path in files:
        for module, line in imports(ast.parse(path.read_text(encoding="utf-8"))):
            if module.split(".")[0] in ("controllers", "suites"):
                wrong.append(f"{path.relative_to(ROOT)}:{line}")
    assert wrong == []


def test_packages_in_pyproject_are_the_folders_that_exist() -> None:
    """The list is explicit, so a forgotten folder would be missing only from wheels."""
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        listed = set(tomllib.load(file)["tool"]["setuptools"]["packages"])
    found = set()
    for base, name in (("src/desbench", "desbench"), ("controllers", "desbench.controllers"),
                       ("suites", "desbench.suites")):  # fmt: skip
        for path in (ROOT / base).rglob("__init__.py"):
            inner = path.parent.relative_to(ROOT / base).parts
            found.add(".".join([name, *inner]))
    assert listed == found


@pytest.mark.parametrize("module", ["desbench", "desbench.cli", "desbench.cli.run"])
def test_import_is_light(module: str) -> None:
    """`desbench --help` must answer at once, so nothing heavy may load with it."""
    code = (
        f"import sys, {module}; "
        "print([m for m in ('numpy', 'pyarrow', 'openai', 'pydantic', 'yaml', 'rich') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
