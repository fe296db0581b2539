"""Suite: one YAML file (and its bases) as cases that can be realised.

>>> from desbench.instances.suite import load_suite
>>> suite = load_suite("smoke")
>>> [case.id for case in suite.cases()]
['smoke-s00']
>>> suite.realise(suite.cases()[0]).time_unit
'min'
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from yaml.nodes import MappingNode, Node, SequenceNode

from desbench.errors import InputError
from desbench.instances import complaints, crossings, reading
from desbench.instances.draw import check_seed
from desbench.instances.instance import LATER, Instance
from desbench.instances.realise import build
from desbench.instances.schema import Profile, Reference, Shop

SPLITS = ("train", "validation", "test")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_CASE = re.compile(r"(?P<profile>.+)-s(?P<seed>\d{2,19})")
_MAX_BASES = 20


@dataclass(frozen=True, order=True)
class Case:
    """One profile and one seed."""

    profile: str
    seed: int

    @property
    def id(self) -> str:
        """`<profile>-s<seed, at least two digits>`."""
        return f"{self.profile}-s{self.seed:02d}"


@dataclass(frozen=True)
class _Layer:
    """One file of a chain of bases: what it says for all profiles and for each."""

    shop: MappingNode
    profiles: MappingNode | None


class Suite:
    """A validated suite; see `load_suite`.

    Attributes
    ----------
    name
        The file's name without its ending.
    path
        The file.
    """

    def __init__(
        self, name: str, path: Path, layers: list[_Layer], profiles: list[str], settings: list[Node]
    ) -> None:
        self.name = name
        self.path = path
        self._layers = layers
        self._settings = settings
        self._profiles = {id: _profile(id, layers) for id in profiles}
        self._shops = _validated({id: self._tree(id) for id in profiles})

    def __repr__(self) -> str:
        return f"Suite({self.name!r}, profiles={self.profiles})"

    @property
    def profiles(self) -> list[str]:
        """Profile ids, in the order of the file."""
        return list(self._shops)

    @property
    def about(self) -> str:
        """What the suite says about itself."""
        return next(iter(self._shops.values())).about

    @property
    def reference(self) -> Reference | None:
        """What is known about the result, of the first profile."""
        return next(iter(self._shops.values())).reference

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the content, bases and settings included, descriptions excluded."""
        content = {id: [self.stream(id), _content(shop)] for id, shop in self._shops.items()}
        text = json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def shop(self, profile: str | None = None) -> Shop:
        """Give the validated content for one profile (default: the first)."""
        id = self.profiles[0] if profile is None else profile
        if id not in self._shops:
            near = complaints.near(id, self._shops)
            raise InputError(f"suite {self.name}: no profile '{id}'{near}")
        return self._shops[id]

    def about_profile(self, profile: str) -> Profile:
        """Description, paper's name and stream key of a profile."""
        self.shop(profile)
        return self._profiles[profile]

    def stream(self, profile: str) -> str:
        """Key of all chance of a profile."""
        return self.about_profile(profile).stream or profile

    def seeds(self, split: str = "test", profile: str | None = None) -> list[int]:
        """Seeds of one part of the split."""
        if split not in SPLITS:
            raise InputError(f"split={split}, must be one of {', '.join(SPLITS)}.")
        return list(getattr(self.shop(profile).seeds, split))

    def cases(
        self,
        split: str = "test",
        seeds: Iterable[int] | None = None,
        limit: int | None = None,
        case_id: str | None = None,
    ) -> list[Case]:
        """List cases: every profile with every seed of the split.

        Parameters
        ----------
        seeds
            These instead of the split's.
        limit
            At most so many, from the first.
        case_id
            Exactly this one; its seed need not belong to the split.
        """
        if case_id is not None:
            return [self.case(case_id)]
        if limit is not None and limit < 1:
            raise InputError(f"limit={limit}, must be >= 1.")
        chosen = None if seeds is None else [check_seed(seed) for seed in seeds]
        if chosen is not None and len(set(chosen)) < len(chosen):
            raise InputError("seeds: one is given twice, must be distinct.")
        cases = [
            Case(profile, seed)
            for profile in self.profiles
            for seed in (self.seeds(split, profile) if chosen is None else chosen)
        ]
        return cases[:limit]

    def case(self, case_id: str) -> Case:
        """Case of an id such as `a5c12-branch-s03`."""
        match = _CASE.fullmatch(case_id)
        if match is not None and match["profile"] in self._shops:
            case = Case(match["profile"], check_seed(int(match["seed"])))
            if case.id == case_id:
                return case
        known = [case.id for case in self.cases("test") or self.cases("train")]
        near = complaints.near(case_id, known)
        raise InputError(f"suite {self.name}: no case '{case_id}'{near}")

    def realise(self, case: Case | str) -> Instance:
        """Draw everything that is left to chance: the Instance of a case."""
        known = self.case(case if isinstance(case, str) else case.id)
        shop = self.shop(known.profile)
        return build(shop, known.id, self.stream(known.profile), known.seed)

    def with_settings(self, settings: Mapping[str, Any]) -> Suite:
        """Copy with values set by dotted key, e.g. `{"defaults.cell.inbound": 3}`.

        A text is read as YAML, as `--set KEY=V` gives it; null takes a key away. Settings win over
        profiles. The result is validated and its digest differs.
        """
        nodes = [*self._settings]
        for key, value in settings.items():
            head = key.partition(".")[0]
            if head in ("base", "profiles", ""):
                raise InputError(f"--set {key}: must be a key of the shop, such as vehicles.count")
            text = value if isinstance(value, str) else yaml.safe_dump(value, allow_unicode=True)
            node = reading.compose(text, f"--set {key}")
            nodes.append(reading.mapping([(reading.scalar(key, node), node)], node))
        return Suite(self.name, self.path, self._layers, self.profiles, nodes)

    def _tree(self, profile: str) -> Node:
        """Everything said for a profile: bases first, then settings, then defaults written out."""
        tree: Node = reading.mapping([], self._layers[-1].shop)
        for layer in self._layers:
            tree = reading.merge(tree, layer.shop)
            own = reading.get(reading.get(layer.profiles, profile), "set")
            if own is not None and not reading.is_null(own):
                tree = reading.merge(tree, own)
        for setting in self._settings:
            ((key, value),) = setting.value
            tree = reading.set_path(tree, key.value.split("."), value)
        return reading.expand(tree)


def load_suite(name_or_path: str | Path) -> Suite:
    """Load a shipped suite by name, or any suite by path.

    Raises
    ------
    InputError
        With all problems of the file at once, each with file, line, value, rule and remedy.
    """
    path = suite_path(name_or_path)
    layers, profiles = _layers(path, ())
    return Suite(path.stem, path, layers, profiles or [_slug(path.stem)], [])


def realise(
    suite: Suite | str | Path, case: str | None = None, seed: int | None = None
) -> Instance:
    """Give the Instance of a case, by its id, or by its seed where the suite has one profile.

    With neither, the first case of the test split.
    """
    loaded = suite if isinstance(suite, Suite) else load_suite(suite)
    if case is not None and seed is not None:
        raise InputError(f"case={case} and seed={seed}: state only one of them.")
    if case is not None:
        return loaded.realise(case)
    if seed is None:
        return loaded.realise((loaded.cases() or loaded.cases("train"))[0])
    if len(loaded.profiles) > 1:
        ids = ", ".join(Case(profile, check_seed(seed)).id for profile in loaded.profiles)
        raise InputError(f"seed={seed}: suite {loaded.name} has several profiles; case: {ids}")
    return loaded.realise(Case(loaded.profiles[0], check_seed(seed)))


def suite_path(name_or_path: str | Path) -> Path:
    """File of a suite, by shipped name or by path."""
    from desbench import registry

    return registry.find("suites", str(name_or_path)).path


def _layers(path: Path, above: tuple[Path, ...]) -> tuple[list[_Layer], list[str]]:
    """Files of a chain of bases, deepest first, and the profile ids that are left at its end."""
    if path.resolve() in above or len(above) > _MAX_BASES:
        chain = " -> ".join(str(p) for p in (*above, path))
        raise InputError(f"{path}: base goes round in a circle: {chain}")
    root = reading.read(path)
    base, listed = reading.get(root, "base"), reading.get(root, "profiles")
    layers: list[_Layer] = []
    known: list[str] = []
    if base is not None:
        layers, known = _layers(_base_path(base, path), (*above, path.resolve()))
    shop = reading.without(root, "base", "profiles")
    own = listed if isinstance(listed, MappingNode) else None
    return [*layers, _Layer(shop, own)], _selected(listed, known)


def _base_path(base: Node, path: Path) -> Path:
    if not isinstance(base.value, str) or not base.value:
        raise InputError(f"{reading.line(base)}: base, must be the name or path of a suite")
    text = base.value
    if "/" in text or "\\" in text or text.endswith((".yaml", ".yml")):
        text = str(path.parent / text.replace("\\", "/"))
    try:
        return suite_path(text)
    except InputError as error:
        raise InputError(f"{reading.line(base)}: base={base.value}: {error}") from None


def _selected(listed: Node | None, known: list[str]) -> list[str]:
    """Profile ids after one more file: a mapping adds or changes, a list selects."""
    if listed is None or reading.is_null(listed):
        return known
    if isinstance(listed, MappingNode):
        for key, _ in listed.value:
            if not _ID.fullmatch(key.value):
                rule = "must be 1 to 100 of A-Z a-z 0-9 . _ - and begin with a letter or digit"
                raise InputError(f"{reading.line(key)}: profile {key.value}, {rule}")
        return [*known, *(key.value for key, _ in listed.value if key.value not in known)]
    if not isinstance(listed, SequenceNode) or not listed.value:
        rule = "must be a mapping of id: {set: ...}, or a list of ids of the base"
        raise InputError(f"{reading.line(listed)}: profiles, {rule}")
    chosen = [item.value for item in listed.value]
    for item in listed.value:
        if item.value not in known or chosen.count(item.value) > 1:
            near = complaints.near(str(item.value), known)
            rule = "must be a profile of the base, listed once" + near
            raise InputError(f"{reading.line(item)}: profiles={item.value}, {rule}")
    return chosen


def _profile(id: str, layers: list[_Layer]) -> Profile:
    node: Node | None = None
    for layer in layers:
        own = reading.get(layer.profiles, id)
        if own is not None and not reading.is_null(own):
            node = reading.merge(node, own)
    if node is None:
        # A suite without profiles: its file name names the cases, but does not change their chance.
        named = any(reading.get(layer.profiles, id) is not None for layer in layers)
        return Profile(stream=None if named else "main")
    try:
        return Profile.model_validate(reading.construct(node))
    except ValidationError as error:
        raise InputError(
            _joined(complaints.from_validation(error, node, Profile, ("profiles", id)))
        ) from None


def _validated(trees: dict[str, Node]) -> dict[str, Shop]:
    """Validate all profiles, or report the problems of all."""
    shops: dict[str, Shop] = {}
    messages: dict[str, None] = {}
    for id, tree in trees.items():
        try:
            shops[id] = Shop.model_validate(reading.construct(tree))
        except ValidationError as error:
            messages |= dict.fromkeys(complaints.from_validation(error, tree, Shop))
        else:
            found = crossings.check(shops[id])
            messages |= {complaints.at(tree, path, rule): None for path, rule in found}
    if messages:
        raise InputError(_joined(list(messages)))
    return shops


def _content(shop: Shop) -> dict[str, Any]:
    """What decides about the cases; what came later only where it is used."""
    unused = {name for name in LATER if getattr(shop, name) == Shop.model_fields[name].default}
    return shop.model_dump(mode="json", exclude={"about", *unused})


def _joined(messages: list[str]) -> str:
    return "\n".join(messages)


def _slug(stem: str) -> str:
    """Profile id of a suite without profiles, from its file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:100] or "shop"
