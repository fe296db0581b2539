"""Job shop with transport after Bilge and Ulusoy, as JSON: sets of jobs times layouts.

    {"note": "any text", "vehicles": 2,
     "layouts": {"1": [[0, 6, ..], ..]},
     "job_sets": {"1": [[[machine, duration], ..], ..]}}

Every set of jobs with every layout is one shop, named EX<set><layout>. Machines count from 1; place
0 of a layout is the load and unload station. An operation may list alternatives instead of one
pair: `[[machine, duration], [machine, duration]]`.
"""

from __future__ import annotations

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from desbench.errors import InputError
from desbench.instances import reading
from desbench.instances.complaints import near
from desbench.instances.formats.options import Options
from desbench.instances.formats.shop import Job, Matrix, Operation, Shop
from desbench.instances.formats.source import MAX_MACHINES, Refused, TextFile, exact_ticks

KEYS = ("note", "vehicles", "layouts", "job_sets")
MAX_VEHICLES = 100_000


def sniff(file: TextFile) -> bool:
    """Whether the file may be one: it begins with a brace."""
    return file.text.lstrip().startswith("{")


def read(file: TextFile, options: Options) -> list[Shop]:
    """Read all shops of the file: each set of jobs with each layout."""
    root = _compose(file)
    _check_keys(root)
    document = _Document(options)
    vehicles = document.whole(_need(root, "vehicles"), "vehicles", 0, MAX_VEHICLES)
    layouts = {name: document.layout(name, node) for name, node in _items(root, "layouts")}
    link = "" if all(len(name) == 1 for name in layouts) else "-"  # EX1-11 is not EX11-1
    shops = []
    for set_name, jobs_node in _items(root, "job_sets"):
        for layout, travel in layouts.items():
            machines = len(travel) - 1
            shop = Shop(
                name=f"EX{set_name}{link}{layout}",
                format="transport_json",
                machines=machines,
                jobs=document.jobs(set_name, jobs_node, machines),
                travel=travel,
                vehicles=vehicles,
                base=document.base,
                ticks_per_unit=options.ticks_per_unit,
            )
            shops.append(shop)
    return shops


def _compose(file: TextFile) -> MappingNode:
    """Parse to nodes that know their line: JSON is YAML in brackets."""
    try:
        root = reading.compose(file.text, str(file.path))
    except InputError as error:
        raise Refused(str(error).partition("\n")[0].replace("not YAML", "not JSON"), 1) from None
    if not isinstance(root, MappingNode):
        raise _refuse(root, "must be an object {...}")
    return root


def _refuse(node: Node, problem: str) -> Refused:
    return Refused(f"{reading.line(node)}: {problem}", node.start_mark.line + 1)


def _check_keys(root: MappingNode) -> None:
    for key, _ in root.value:
        if key.value not in KEYS:
            raise _refuse(key, f"key {key.value} is unknown{near(key.value, KEYS)}")


def _need(root: MappingNode, key: str) -> Node:
    node = reading.get(root, key)
    if node is None:
        raise _refuse(root, f"lacks the key {key}")
    return node


def _items(root: MappingNode, key: str) -> list[tuple[str, Node]]:
    node = _need(root, key)
    if not isinstance(node, MappingNode) or not node.value:
        raise _refuse(node, f"{key} must be an object with at least one entry")
    return [(name.value, value) for name, value in node.value]


def _list(node: Node, what: str) -> list[Node]:
    if not isinstance(node, SequenceNode) or not node.value:
        raise _refuse(node, f"{what} must be a list with at least one entry")
    return list(node.value)


class _Document:
    """Numbers and lists of one file."""

    def __init__(self, options: Options) -> None:
        self.ticks_per_unit = options.ticks_per_unit
        self.base = 1 if options.base is None else options.base

    def whole(self, node: Node, what: str, least: int, most: int) -> int:
        text = node.value if isinstance(node, ScalarNode) else ""
        if not (text.isascii() and text.isdigit() and len(text) < 19) or _is_quoted(node):
            raise _refuse(node, f"{what} must be a whole number {least} .. {most}")
        if not least <= int(text) <= most:
            raise _refuse(node, f"{what}={text}, must be {least} .. {most}")
        return int(text)

    def ticks(self, node: Node, what: str) -> int:
        text = node.value if isinstance(node, ScalarNode) and not _is_quoted(node) else ""
        try:
            return exact_ticks(text, self.ticks_per_unit, f"{what} ({text})")
        except ValueError as error:
            raise _refuse(node, str(error)) from None

    def layout(self, name: str, node: Node) -> Matrix:
        rows = _list(node, f"layout {name}")
        if not 2 <= len(rows) <= MAX_MACHINES + 1:
            raise _refuse(node, f"layout {name} has {len(rows)} places, must be >= 2")
        matrix = []
        for place, row in enumerate(rows):
            times = _list(row, f"row {place} of layout {name}")
            if len(times) != len(rows):
                found = f"row {place} of layout {name} has {len(times)} times"
                raise _refuse(row, f"{found}, must have {len(rows)}")
            matrix.append([self.ticks(time, f"time in layout {name}") for time in times])
            if matrix[-1][place] != 0:
                raise _refuse(row, f"layout {name}: travel from {place} to itself must be 0")
        return matrix

    def jobs(self, name: str, node: Node, machines: int) -> list[Job]:
        return [
            [
                self.operation(operation, f"job set {name}, job {j}, operation {k}", machines)
                for k, operation in enumerate(_list(job, f"job {j} of job set {name}"))
            ]
            for j, job in enumerate(_list(node, f"job set {name}"))
        ]

    def operation(self, node: Node, what: str, machines: int) -> Operation:
        parts = _list(node, what)
        if not isinstance(parts[0], SequenceNode):
            parts = [node]
        operation: Operation = []
        for part in parts:
            pair = _list(part, what)
            if len(pair) != 2:
                raise _refuse(part, f"{what} has {len(pair)} entries, must be [machine, duration]")
            first, last = self.base, machines - 1 + self.base
            machine = self.whole(pair[0], f"{what}: machine", first, last) - self.base
            if any(machine == other for other, _ in operation):
                raise _refuse(part, f"{what}: a machine must be named once")
            operation.append((machine, self.ticks(pair[1], f"{what}: duration")))
        return operation


def _is_quoted(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.style not in (None, "")
