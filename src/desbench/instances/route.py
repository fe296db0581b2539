"""The route grammar: which operations a job may need, and in which order.

    "cut (mill:2|turn:1) heat?0.3 assemble{1,2} inspect"

    sequence  a b c          one after the other
    choice    (a:2|b c:1)    one branch, drawn by weight (default 1); a branch is a sequence
    option    a?0.3          with this probability
    repeat    a{2}  a{1,3}   that often; with two numbers drawn evenly between them

Options and repeats follow a name or a parenthesis. A name is a capability: letters, digits, `_`
and `-`, not starting with a digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from desbench.errors import InputError

MAX_DEPTH = 30  #: nested parentheses
MAX_LENGTH = 10_000  #: operations of one job

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<name>[^\W\d][\w-]*)|(?P<number>\d+(?:\.\d+)?)|(?P<mark>[()|:?{},])"
)


class Uniform(Protocol):
    """What a draw needs: `random()` in [0, 1), as numpy's Generator gives."""

    def random(self) -> float: ...


@dataclass(frozen=True)
class Step:
    """One operation of a capability."""

    capability: str


@dataclass(frozen=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Exactly one of the branches, drawn by weight."""

    branches: tuple[Node, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Repeat:
    """The part, `least` to `most` times, each number equally likely."""

    part: Node
    least: int
    most: int


@dataclass(frozen=True)
class Option:
    """The part, with a probability."""

    part: Node
    probability: float


Node = Step | Sequence | Choice | Repeat | Option


@lru_cache(maxsize=64)  # the same for all seeds of a suite
def parse(text: str) -> Node:
    """Parse a route.

    Raises
    ------
    InputError
        Naming the column (from 1) of the first token that does not fit.
    """
    return _Parser(text).route()


def draw(tree: Node, generator: Uniform) -> list[str]:
    """Draw one route: the capabilities in order."""
    if isinstance(tree, Step):
        return [tree.capability]
    if isinstance(tree, Sequence):
        return [name for part in tree.parts for name in draw(part, generator)]
    if isinstance(tree, Choice):
        return draw(tree.branches[_pick(tree.weights, generator.random())], generator)
    if isinstance(tree, Repeat):
        times = tree.least
        if tree.most > tree.least:
            times += int(generator.random() * (tree.most - tree.least + 1))
        return [name for _ in range(times) for name in draw(tree.part, generator)]
    return draw(tree.part, generator) if generator.random() < tree.probability else []


def capabilities(tree: Node) -> set[str]:
    """All capabilities that a route may name."""
    return set(_walk(tree))


def length(tree: Node) -> tuple[int, int]:
    """Fewest and most operations of a route."""
    if isinstance(tree, Step):
        return 1, 1
    if isinstance(tree, Sequence):
        sizes = [length(part) for part in tree.parts]
        return sum(least for least, _ in sizes), sum(most for _, most in sizes)
    if isinstance(tree, Choice):
        sizes = [length(branch) for branch in tree.branches]
        return min(least for least, _ in sizes), max(most for _, most in sizes)
    least, most = length(tree.part)
    if isinstance(tree, Repeat):
        return least * tree.least, most * tree.most
    return (least if tree.probability == 1 else 0), most


def _walk(tree: Node) -> Iterator[str]:
    if isinstance(tree, Step):
        yield tree.capability
    elif isinstance(tree, Sequence | Choice):
        for part in tree.parts if isinstance(tree, Sequence) else tree.branches:
            yield from _walk(part)
    else:
        yield from _walk(tree.part)


def _pick(weights: tuple[float, ...], uniform: float) -> int:
    """Index of the branch in which `uniform` falls."""
    rest = uniform * sum(weights)
    for index, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return index
    return len(weights) - 1


class _Parser:
    """Recursive descent over the tokens; one method per rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self.tokenize()
        self.position = 0
        self.depth = 0

    def tokenize(self) -> list[tuple[str, str, int]]:
        """Cut into (kind, text, column); every character belongs to a token."""
        tokens, at = [], 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self.error(at, f"{self.text[at]!r} is not part of the route grammar")
            if match.lastgroup != "space":
                tokens.append((str(match.lastgroup), match.group(), at))
            at = match.end()
        tokens.append(("end", "end of the route", at))
        return tokens

    def error(self, at: int, problem: str) -> InputError:
        return InputError(f"route {self.text!r}, column {at + 1}: {problem}")

    def expected(self, what: str) -> InputError:
        kind, text, at = self.tokens[self.position]
        found = text if kind == "end" else repr(text)
        return self.error(at, f"expected {what}, found {found}")

    def accept(self, mark: str) -> bool:
        if self.tokens[self.position][:2] != ("mark", mark):
            return False
        self.position += 1
        return True

    def require(self, mark: str) -> None:
        if not self.accept(mark):
            raise self.expected(repr(mark))

    def number(self, what: str) -> float:
        kind, text, _ = self.tokens[self.position]
        if kind != "number":
            raise self.expected(what)
        self.position += 1
        return float(text)

    def whole(self) -> int:
        _, text, at = self.tokens[self.position]
        value = self.number("a whole number of repeats")
        if "." in text or len(text) > 6:
            raise self.error(at, f"repeats={text}, must be a whole number up to {MAX_LENGTH}")
        return int(value)

    def route(self) -> Node:
        tree = self.sequence()
        if self.tokens[self.position][0] != "end":
            raise self.expected("a capability, '(' or the end")
        least, most = length(tree)
        if least < 1:
            raise self.error(0, "may draw no operation at all, must always hold at least one")
        if most > MAX_LENGTH:
            raise self.error(0, f"may draw {most} operations, must be <= {MAX_LENGTH}")
        return tree

    def sequence(self) -> Node:
        parts = [self.element()]
        while self.tokens[self.position][0] == "name" or self.tokens[self.position][1] == "(":
            parts.append(self.element())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def element(self) -> Node:
        part = self.atom()
        if self.accept("{"):
            part = self.repeat(part)
        if self.accept("?"):
            at = self.tokens[self.position][2]
            probability = self.number("a probability such as 0.3")
            if probability > 1:
                raise self.error(at, f"probability={probability:g}, must be between 0 and 1")
            part = Option(part, probability)
        return part

    def repeat(self, part: Node) -> Node:
        at = self.tokens[self.position][2]
        least = self.whole()
        most = self.whole() if self.accept(",") else least
        self.require("}")
        if most < max(least, 1):
            raise self.error(at, f"repeats={least},{most}, must ascend and allow at least one")
        return Repeat(part, least, most)

    def atom(self) -> Node:
        kind, text, at = self.tokens[self.position]
        if kind == "name":
            self.position += 1
            return Step(text)
        if not self.accept("("):
            raise self.expected("a capability or '('")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(at, f"more than {MAX_DEPTH} parentheses inside each other")
        tree = self.choice()
        self.depth -= 1
        return tree

    def choice(self) -> Node:
        branches, weights = [], []
        while True:
            branches.append(self.sequence())
            weights.append(self.weight())
            if not self.accept("|"):
                break
        self.require(")")
        if len(branches) == 1:
            return branches[0]
        return Choice(tuple(branches), tuple(weights))

    def weight(self) -> float:
        if not self.accept(":"):
            return 1.0
        at = self.tokens[self.position][2]
        value = self.number("a weight such as 2")
        if not 0 < value < 1e9:
            raise self.error(at, f"weight={value:g}, must be > 0 and < 1e9")
        return value
