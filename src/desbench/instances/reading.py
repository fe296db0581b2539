"""YAML as marked nodes: read strictly, merge, expand defaults, turn into plain values.

Nodes are kept until the end because each one knows its file and line; merging works on nodes, so an
error in a value that came from a base suite is reported where that value is written.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from desbench.errors import InputError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TAGS = {_TAG + name for name in ("map", "seq", "str", "int", "float", "bool", "null")}
_AS_TEXT = {_TAG + "timestamp", _TAG + "value"}  # dates and "=" stay text
MAX_MACHINES = 10_000  #: of one cell
MAX_DEPTH = 50  #: of mappings and lists in each other
_PLAIN_INT = re.compile(r"[-+]?(0|[1-9][0-9_]{0,38})")


def read(path: Path, rule: str = "a suite is a mapping such as 'areas: ...'") -> MappingNode:
    """Read one YAML file: UTF-8 with or without byte order mark, one mapping, no key twice."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, byte {error.start}: not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    node = compose(text, str(path))
    if not isinstance(node, MappingNode):
        raise InputError(f"{path}, line 1: {rule}")
    return node


def compose(text: str, name: str) -> Node:
    """Parse text to nodes and refuse what YAML would change silently."""
    stream = io.StringIO(text)
    stream.name = name  # the loader writes it into every mark
    try:
        node = yaml.compose(stream, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InputError(f"{name}{where}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{name}: not YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise InputError(f"{name}: nested too deeply") from None
    if node is None:
        raise InputError(f"{name}: is empty")
    problems: list[str] = []
    _inspect(node, set(), problems, 0)
    if problems:
        raise InputError("\n".join(problems))
    return node


def line(node: Node) -> str:
    """Give the place of a node: `file, line N`; for options of the command only their name."""
    mark = node.start_mark
    return mark.name if mark.name.startswith("--") else f"{mark.name}, line {mark.line + 1}"


def _inspect(node: Node, seen: set[int], problems: list[str], depth: int) -> None:
    if depth > MAX_DEPTH:
        problems.append(f"{line(node)}: nested more than {MAX_DEPTH} deep")
        return
    if id(node) in seen:
        problems.append(f"{line(node)}: aliases (*name) are not read; use defaults: or base:")
        return
    seen.add(id(node))
    if node.tag not in _TAGS and node.tag not in _AS_TEXT:
        problems.append(f"{line(node)}: tag {node.tag} is not read; write plain YAML")
    elif isinstance(node, SequenceNode):
        for item in node.value:
            _inspect(item, seen, problems, depth + 1)
    elif isinstance(node, MappingNode):
        _inspect_keys(node, problems)
        for _, value in node.value:
            _inspect(value, seen, problems, depth + 1)
    elif isinstance(node, ScalarNode):
        _inspect_number(node, problems)


def _inspect_keys(node: MappingNode, problems: list[str]) -> None:
    lines: dict[str, int] = {}
    for key, _ in node.value:
        if not isinstance(key, ScalarNode):
            problems.append(f"{line(key)}: a key must be a text")
        elif key.tag == _TAG + "merge":
            problems.append(f"{line(key)}: merge keys (<<) are not read; use defaults: or base:")
        elif key.value in lines:
            first = lines[key.value]
            problems.append(f"{line(key)}: key {key.value} is given twice, first in line {first}")
        else:
            lines[key.value] = key.start_mark.line + 1


def _inspect_number(node: ScalarNode, problems: list[str]) -> None:
    text = node.value
    if node.tag == _TAG + "int" and not _PLAIN_INT.fullmatch(text):
        problems.append(
            f"{line(node)}: {text[:40]} is no plain decimal number to YAML 1.1 "
            "(10:20 would be 620, 010 would be 8); quote a text, or write the number out"
        )
    elif node.tag == _TAG + "float" and ":" in text:
        problems.append(f"{line(node)}: YAML 1.1 reads {text} in base 60; quote it")


def construct(node: Node) -> Any:
    """Plain values of a tree; keys are always text, whatever they look like."""
    if isinstance(node, MappingNode):
        return {key.value: construct(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return [construct(item) for item in node.value]
    text: str = node.value
    if node.tag == _TAG + "int":
        return int(text.replace("_", ""))
    if node.tag == _TAG + "float":
        plain = text.replace("_", "").lower()
        return float(plain.replace(".inf", "inf").replace(".nan", "nan"))
    if node.tag == _TAG + "bool":
        return text.lower() in ("yes", "true", "on")
    return None if node.tag == _TAG + "null" else text


# Trees


def get(node: Node | None, key: str) -> Node | None:
    """Value of a key, None where the key or the mapping is absent."""
    if isinstance(node, MappingNode):
        for name, value in node.value:
            if name.value == key:
                return value  # type: ignore[no-any-return]
    return None


def mapping(pairs: Sequence[tuple[Node, Node]], like: Node) -> MappingNode:
    """Build a mapping that stands where `like` stands."""
    return MappingNode(_TAG + "map", list(pairs), like.start_mark, like.end_mark)


def scalar(text: str, like: Node) -> ScalarNode:
    """Build a text that stands where `like` stands."""
    return ScalarNode(_TAG + "str", text, like.start_mark, like.end_mark)


def is_null(node: Node | None) -> bool:
    """Whether the node is written as null (`~`, `null` or nothing)."""
    return node is not None and node.tag == _TAG + "null"


def merge(base: Node | None, over: Node) -> Node:
    """Lay `over` on `base`: mappings key by key, all else replaced; null takes a key away.

    A null with nothing to take away stays, so that validation sees a mistyped key.
    """
    if not isinstance(over, MappingNode):
        return over
    below = base.value if isinstance(base, MappingNode) else []
    merged = {key.value: (key, value) for key, value in below}
    for key, value in over.value:
        if is_null(value) and key.value in merged:
            del merged[key.value]
        else:
            old = merged.get(key.value)
            merged[key.value] = (key, merge(old[1] if old else None, value))
    return mapping(list(merged.values()), over)


def without(node: MappingNode, *keys: str) -> MappingNode:
    """Copy of a mapping without some keys."""
    return mapping([pair for pair in node.value if pair[0].value not in keys], node)


def set_path(node: Node, path: Sequence[str], value: Node) -> Node:
    """Copy of a tree with one value set; mappings on the way are made where missing."""
    if not path:
        return merge(None, value)
    key, rest = path[0], path[1:]
    if isinstance(node, SequenceNode):
        if not key.isdecimal() or int(key) >= len(node.value):
            most = len(node.value) - 1
            raise InputError(f"{line(value)}: {key} in a list, must be a position 0 .. {most}")
        items = list(node.value)
        items[int(key)] = set_path(items[int(key)], rest, value)
        return SequenceNode(node.tag, items, node.start_mark, node.end_mark)
    old = get(node, key)
    if rest and isinstance(old, ScalarNode) and not is_null(old):
        raise InputError(f"{line(value)}: {key} is the value {old.value!r} and has no {rest[0]}")
    below = old if old is not None else mapping([], value)
    pairs = list(node.value) if isinstance(node, MappingNode) else []
    kept = [pair for pair in pairs if pair[0].value != key]
    at = next((i for i, pair in enumerate(pairs) if pair[0].value == key), len(pairs))
    if rest or not is_null(value) or at == len(pairs):
        kept.insert(at, (scalar(key, value), set_path(below, rest, value)))
    return mapping(kept, node if isinstance(node, MappingNode) else value)


def find(node: Node, path: Sequence[str | int]) -> tuple[Node, Node, list[str]]:
    """Follow a path as far as the tree goes: (key or parent, value, the part of the path found)."""
    key, found = node, []
    for part in path:
        following: tuple[Node, Node] | None = None
        if isinstance(node, MappingNode):
            following = next((pair for pair in node.value if pair[0].value == part), None)
        elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
            following = (node.value[part], node.value[part])
        if following is not None:
            key, node = following
            found.append(str(part))
    return key, node, found


# Defaults


def expand(root: Node) -> Node:
    """Write `defaults:` and `machines: N` out, so that every cell and machine is complete."""
    areas, defaults = get(root, "areas"), get(root, "defaults")
    if not isinstance(root, MappingNode) or not isinstance(areas, MappingNode):
        return root
    pairs = [(key, _expand_area(area, defaults)) for key, area in areas.value]
    full = [
        (key, mapping(pairs, areas) if key.value == "areas" else value) for key, value in root.value
    ]
    return mapping(full, root)


def _expand_area(area: Node, defaults: Node | None) -> Node:
    cells = get(area, "cells")
    if not isinstance(area, MappingNode) or not isinstance(cells, MappingNode):
        return area
    pairs = [(key, _expand_cell(key.value, cell, defaults)) for key, cell in cells.value]
    full = [
        (key, mapping(pairs, cells) if key.value == "cells" else value) for key, value in area.value
    ]
    return mapping(full, area)


def _expand_cell(name: str, cell: Node, defaults: Node | None) -> Node:
    cell = _filled(get(defaults, "cell"), cell)
    if not isinstance(cell, MappingNode):
        return cell
    machines = _counted(name, get(cell, "machines"), cell)
    if isinstance(machines, MappingNode):
        can = get(cell, "can")
        shared = mapping([] if can is None else [(scalar("can", can), can)], cell)
        default = merge(get(defaults, "machine"), shared)
        pairs = [(key, _filled(default, machine)) for key, machine in machines.value]
        machines = mapping(pairs, machines)
    kept = without(cell, "machines", "can")
    return mapping([*kept.value, (scalar("machines", machines), machines)], cell)


def _counted(cell: str, machines: Node | None, like: Node) -> Node:
    """`machines: 2` (default 1) as a mapping of machines with names after their cell."""
    if machines is None:
        machines = ScalarNode(_TAG + "int", "1", like.start_mark, like.end_mark)
    if not isinstance(machines, ScalarNode) or machines.tag != _TAG + "int":
        return machines
    count = int(machines.value.replace("_", ""))
    if not 0 <= count <= MAX_MACHINES:
        return machines  # the schema refuses it
    names = [scalar(f"{cell}M{k + 1}", machines) for k in range(count)]
    return mapping([(name, mapping([], machines)) for name in names], machines)


def _filled(default: Node | None, own: Node) -> Node:
    """`own` laid on its default; anything but a mapping is for the schema to refuse."""
    return merge(default, own) if isinstance(own, MappingNode) else own
