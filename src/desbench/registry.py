"""What can be named: suites, paradigms, frameworks, controllers. The file name is the name.

Nothing is imported to list names; `load` imports one file. A path is accepted wherever a name is:
`./shop.yaml`, `./my_hybrid.py`, `./my_runner.py:MyRunner`.

>>> from desbench import registry
>>> "smoke" in registry.names("suites")
True
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desbench.errors import InputError

PACKAGES = {
    "suites": "desbench.suites",
    "paradigms": "desbench.paradigms",
    "frameworks": "desbench.controllers.frameworks",
    "controllers": "desbench.controllers.backends",
}
KINDS = tuple(PACKAGES)
SUITE_READER = "desbench.instances.suite"  #: by name like all else here: it imports this module

_registered: dict[tuple[str, str], Any] = {}


@dataclass(frozen=True)
class Entry:
    """One thing that was found by name or path, not imported yet."""

    kind: str
    name: str
    path: Path
    attribute: str | None = None  #: of `file.py:Attribute`
    module: str | None = None  #: dotted name, None for a file of the user
    digest: str = field(init=False)  #: SHA-256 (hex) of the file

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", hashlib.sha256(self.path.read_bytes()).hexdigest())

    def load(self) -> Any:
        """Import it: a Suite, or the module (its attribute, if one is named)."""
        if self.kind == "suites":
            return importlib.import_module(SUITE_READER).load_suite(self.path)
        module = importlib.import_module(self.module) if self.module else self._from_file()
        if self.attribute is None:
            return module
        if not hasattr(module, self.attribute):
            public = [name for name in vars(module) if not name.startswith("_")]
            near = _near(self.attribute, public)
            raise InputError(f"{self.path}: has no '{self.attribute}'{near}")
        return getattr(module, self.attribute)

    def _from_file(self) -> Any:
        """Import a user's file once, under a name of its own."""
        name = f"desbench_user_{self.path.stem}_{self.digest[:12]}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise InputError(f"{self.path}: cannot be imported as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # before it runs: dataclasses and pickle look it up
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def register(kind: str, name: str, thing: Any) -> None:
    """Make `thing` known under a name in this process; it wins over a file of that name."""
    _check_kind(kind)
    if not name or is_path(name):
        raise InputError(f"{kind} name={name!r}, must be a name, not a path.")
    _registered[kind, name] = thing


def unregister(kind: str, name: str) -> None:
    """Forget what `register` made known."""
    _registered.pop((kind, name), None)


def names(kind: str) -> list[str]:
    """All names of a kind, sorted; aliases are not listed."""
    return sorted({*_files(kind), *(name for k, name in _registered if k == kind)})


def aliases(kind: str) -> dict[str, str]:
    """Other spellings: the package's `ALIASES`, {alias: name}."""
    return dict(getattr(_package(kind), "ALIASES", {}))


def load(kind: str, name_or_path: str) -> Any:
    """Load by name, alias or path: a registered object, a Suite, or a module (its attribute)."""
    _check_kind(kind)
    if (kind, name_or_path) in _registered:
        return _registered[kind, name_or_path]
    return find(kind, name_or_path).load()


def find(kind: str, name_or_path: str) -> Entry:
    """Look up a name, alias or path without importing it.

    Raises
    ------
    InputError
        For an unknown name (with what is near, or the list) and a path that is no file.
    """
    _check_kind(kind)
    if is_path(name_or_path):
        return _find_path(kind, name_or_path)
    files = _files(kind)
    name, _, attribute = name_or_path.partition(":")
    name = aliases(kind).get(name, name)
    if name not in files:
        known = [*names(kind), *aliases(kind)]
        near = _near(name_or_path, known)
        raise InputError(f"no {kind.removesuffix('s')} '{name_or_path}'{near}")
    module = None if kind == "suites" else f"{PACKAGES[kind]}.{name}"
    return Entry(kind, name, files[name], attribute or None, module)


def is_path(text: str) -> bool:
    """Whether a text is a path and not a name."""
    file = _split(text)[0]
    return "/" in file or "\\" in file or file.endswith((".py", ".yaml", ".yml"))


def _split(text: str) -> tuple[str, str | None]:
    """`file.py:Name` in two; the colon of a drive stays."""
    file, colon, attribute = text.rpartition(":")
    if colon and attribute.isidentifier() and file.endswith(".py"):
        return file, attribute
    return text, None


def _find_path(kind: str, text: str) -> Entry:
    file, attribute = _split(text)
    path = Path(file)
    endings = (".yaml", ".yml") if kind == "suites" else (".py",)
    if path.suffix not in endings:
        raise InputError(f"{file}: must be a {' or '.join(endings)} file")
    if not path.is_file():
        known = ", ".join(names(kind))
        raise InputError(f"{file}: no such file; a name without a path is one of {known}")
    return Entry(kind, path.stem, path, attribute)


def _files(kind: str) -> dict[str, Path]:
    """Find the files of a kind by name, wherever its package is installed."""
    roots = list(_package(kind).__path__)
    if kind == "suites":
        found = (path for root in roots for path in sorted(Path(root).glob("*.yaml")))
        return {path.stem: path for path in found}
    return {
        module.name: Path(module.module_finder.path) / f"{module.name}.py"  # type: ignore[union-attr]
        for module in pkgutil.iter_modules(roots)
        if not module.ispkg and not module.name.startswith("_")
    }


def _package(kind: str) -> Any:
    _check_kind(kind)
    return importlib.import_module(PACKAGES[kind])


def _check_kind(kind: str) -> None:
    if kind not in PACKAGES:
        raise InputError(f"kind={kind!r}, must be one of {', '.join(KINDS)}.")


def _near(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    listed = ", ".join(known)
    return f"; did you mean '{close[0]}'? (known: {listed})" if close else f"; known: {listed}"
