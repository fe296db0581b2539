"""Exploration of two agents, each with its own book, and a network that may do its worst.

A state is the two books, the messages on their way, and how often the network may still lose or
double one. On their way messages have no order: any may arrive next. A step is: an agent sends what
its own book lets it send, an agent stops waiting, a message arrives, arrives and stays on its way
(a duplicate), is lost, or is sent again under its old id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from desbench.paradigms.responsibility import (
    Commitment,
    CommitmentGraph,
    Entry,
    RcpMessage,
    about,
    moves,
)
from responsibility.ledger import DATES, GOOD, LATE, Ledger, check_step, terms


class State(NamedTuple):
    """One moment; books and messages by number."""

    books: tuple[int, int]
    on_way: frozenset[int]
    doubles: int
    losses: int


@dataclass
class Reached:
    """What a book became, and which messages its owner sends because of it."""

    book: int
    is_applied: bool
    sends: tuple[int, ...]


@dataclass
class World:
    """Books and messages by number, so that each step of a book is computed once."""

    openings: tuple[RcpMessage, ...]
    kinds: frozenset[str]  #: what may be sent besides the requests
    capacity: int = 1  #: messages on their way at one time, both directions together
    highest: int = 1  #: versions that are proposed
    books: list[CommitmentGraph] = field(default_factory=list)
    messages: list[RcpMessage] = field(default_factory=list)
    _book_numbers: dict[tuple[Ledger, frozenset[str]], int] = field(default_factory=dict)
    _message_numbers: dict[RcpMessage, int] = field(default_factory=dict)
    _steps: dict[tuple[int, int], Reached] = field(default_factory=dict)
    _choices: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    _sent: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def start(self, doubles: int, losses: int) -> State:
        """Two empty books and nothing on its way."""
        books = (self._book(CommitmentGraph("A")), self._book(CommitmentGraph("B")))
        return State(books, frozenset(), doubles, losses)

    def successors(self, state: State) -> Iterator[State]:
        """All states one step away."""
        for side in (0, 1):
            yield from self._sends(state, side)
        for message in state.on_way:
            yield from self._arrivals(state, message)
            if state.losses:
                yield state._replace(on_way=state.on_way - {message}, losses=state.losses - 1)

    def has_ended(self, state: State) -> bool:
        """Whether no commitment is open in either book."""
        return all(not c.is_open for side in (0, 1) for c in self.books[state.books[side]])

    def _sends(self, state: State, side: int) -> Iterator[State]:
        has_room = len(state.on_way) < self.capacity
        for message, after in self._chosen(state.books[side]):
            is_event = self.messages[message].kind == "expire"
            if is_event:
                yield state._replace(books=_with(state.books, side, after))
            elif has_room:
                on_way = state.on_way | {message}
                yield state._replace(books=_with(state.books, side, after), on_way=on_way)
        if has_room:
            for message in self._resent(state.books[side]):
                if message not in state.on_way:
                    yield state._replace(on_way=state.on_way | {message})

    def _arrivals(self, state: State, message: int) -> Iterator[State]:
        side = "AB".index(self.messages[message].receiver)
        reached = self._step(state.books[side], message)
        books = _with(state.books, side, reached.book)
        on_way = (state.on_way - {message}) | set(reached.sends)
        yield state._replace(books=books, on_way=on_way)
        if state.doubles and len(on_way) < self.capacity:
            yield state._replace(books=books, on_way=on_way | {message}, doubles=state.doubles - 1)

    def _chosen(self, book: int) -> tuple[tuple[int, int], ...]:
        """What the owner may send of its own will: (message, its book afterwards)."""
        if book not in self._choices:
            found = []
            owner = self.books[book].owner
            for message in self._written(self.books[book]):
                if message.sender == owner and message.id not in self.books[book].seen:
                    number = self._message(message)
                    reached = self._step(book, number)
                    if reached.is_applied:
                        found.append((number, reached.book))
            self._choices[book] = tuple(found)
        return self._choices[book]

    def _resent(self, book: int) -> tuple[int, ...]:
        """What the owner has sent before."""
        if book not in self._sent:
            held = self.books[book]
            said = [entry.message for entry in held._seen.values()]
            self._sent[book] = tuple(
                self._message(message)
                for message in sorted(said, key=lambda message: message.id)
                if message.sender == held.owner and message.kind != "expire"
            )
        return self._sent[book]

    def _written(self, book: CommitmentGraph) -> Iterator[RcpMessage]:
        """All messages and events that an owner might think of."""
        assert book.owner is not None
        yield from self.openings
        for commitment in book:
            kinds = [*moves(commitment, book.owner), "expire"]
            for kind in kinds:
                if kind in self.kinds:
                    yield from _variants(commitment, kind, book.owner, self.highest)

    def _step(self, book: int, message: int) -> Reached:
        """A book takes a message; the laws of the step are asserted."""
        key = (book, message)
        if key not in self._steps:
            before = self.books[book]
            after = before.copy()
            entry = after.apply(self.messages[message])
            _check(before, after, entry)
            sends = tuple(self._message(sent) for sent in entry.to_send)
            self._steps[key] = Reached(self._book(after), entry.is_applied, sends)
        return self._steps[key]

    def _book(self, book: CommitmentGraph) -> int:
        key = (tuple(book), book.seen | {f"book of {book.owner}"})
        number = self._book_numbers.setdefault(key, len(self.books))
        if number == len(self.books):
            self.books.append(book)
        return number

    def _message(self, message: RcpMessage) -> int:
        number = self._message_numbers.setdefault(message, len(self.messages))
        if number == len(self.messages):
            self.messages.append(message)
        return number


def _with(books: tuple[int, int], side: int, book: int) -> tuple[int, int]:
    return (book, books[1]) if side == 0 else (books[0], book)


def _check(before: CommitmentGraph, after: CommitmentGraph, entry: Entry) -> None:
    if entry.is_applied:
        check_step(tuple(before), tuple(after), entry)
    else:
        assert tuple(before) == tuple(after), "a refused message or a duplicate changed something"


def _variants(commitment: Commitment, kind: str, sender: str, highest: int) -> Iterator[RcpMessage]:
    """The messages of one kind; an id names all that differs, so that equal ones are one."""
    version = commitment.next_version
    if kind in ("counter", "revise"):
        if version <= min(highest, max(DATES)):
            message = about(commitment, kind, sender, "m", terms=terms(version))
            yield _named(message)
        return
    choices = (GOOD, LATE) if kind in ("report", "verify", "violate") else ((),)
    for evidence in choices:
        yield _named(about(commitment, kind, sender, "m", evidence=evidence))


def _named(message: RcpMessage) -> RcpMessage:
    shown = "".join(piece.ref for piece in message.evidence)
    name = (message.sender, message.commitment, message.kind, f"v{message.version}", shown)
    return replace(message, id=".".join(part for part in name if part))


def books_agree(world: World, states: Iterable[State]) -> None:
    """The laws between two books, in all moments."""
    for pair in {state.books for state in states}:
        first, second = (world.books[number] for number in pair)
        _check_held_to(first, second)
        _check_held_to(second, first)


def _check_held_to(mine: CommitmentGraph, theirs: CommitmentGraph) -> None:
    """A number means one thing, and a delegator holds nobody to what that one has not said."""
    for commitment in mine:
        first, second = mine.versions(commitment.id), theirs.versions(commitment.id)
        same = all(first[number] == second[number] for number in first.keys() & second.keys())
        assert same, "one version number has two meanings"
        if commitment.delegator == mine.owner and commitment.agreed:
            other = theirs[commitment.id]
            is_said = other.agreed >= commitment.agreed or other.proposer == other.delegatee
            assert is_said, "bound to what it never agreed to"
