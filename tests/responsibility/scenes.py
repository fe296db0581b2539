"""Scenes: a ledger in which the commitment `c` has come to a status, and messages about it.

The plant has asked an area (`up`), the area has asked the cell `bob` (`c`). `ann` is the area.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from desbench.paradigms.responsibility import (
    Authority,
    Commitment,
    CommitmentGraph,
    Evidence,
    Outcome,
    RcpMessage,
    Terms,
    about,
    request,
)

GOOD = Evidence("row 1", "hole", 5)
LATE = Evidence("row 2", "clock", 99)


def terms(by: int | None = 10, what: str = "hole") -> Terms:
    """Terms of `c`."""
    return Terms(Outcome(what, by), frozenset({"drill"}), Authority(delegations=1))


class Scene:
    """A ledger, and the numbers of its messages."""

    def __init__(self) -> None:
        self.book = CommitmentGraph()
        self.number = 0
        wide = Terms(Outcome("hole"), frozenset({"drill", "saw"}), Authority(delegations=2))
        self.book.apply(request(self.next_id(), "up", ("plant", "ann"), wide))
        self.do("up", "accept", "ann")

    def next_id(self) -> str:
        """An id that was not used."""
        self.number += 1
        return f"m{self.number}"

    def ask(self, delegatee: str = "bob", name: str = "c", **fields: str) -> RcpMessage:
        """The request by ann."""
        above = self.book["up"]
        parties = ("ann", delegatee)
        return request(self.next_id(), name, parties, terms(), parent=above, **fields)

    def do(self, name: str, kind: str, sender: str, **fields: object) -> None:
        """Say something that is in order."""
        message = about(self.book[name], kind, sender, self.next_id(), **fields)
        entry = self.book.apply(message)
        assert entry.is_applied, entry

    def pass_on(self) -> None:
        """Bob asks a teammate and waits."""
        below = replace(terms(), authority=Authority(delegations=0))
        parties = ("bob", "cleo")
        self.book.apply(request(self.next_id(), "d", parties, below, parent=self.book["c"]))
        assert "d" in self.book

    @property
    def c(self) -> Commitment:
        """The commitment in question."""
        return self.book["c"]


def come_to(status: str) -> Scene:
    """A scene in which `c` has a status."""
    scene = Scene()
    if status == "none":
        return scene
    scene.book.apply(scene.ask())
    if status in ("accepted", "reported", "discharged", "violated"):
        scene.do("c", "accept", "bob")
    if status in ("reported", "discharged"):
        scene.do("c", "report", "bob", evidence=(GOOD,))
    if status == "discharged":
        scene.do("c", "verify", "ann", evidence=(GOOD,))
    if status == "violated":
        scene.do("c", "violate", "ann", evidence=(LATE,))
    if status in ("rejected", "expired"):
        scene.do("c", {"rejected": "reject", "expired": "expire"}[status], "bob")
    if status == "terminated":
        scene.do("c", "terminate", "ann")
    return scene


SENDERS = {
    kind: "bob" if kind in ("accept", "reject", "counter", "inform", "report", "expire") else "ann"
    for kind in (
        *("request", "accept", "reject", "counter", "inform", "probe", "report"),
        *("verify", "violate", "revise", "terminate", "expire"),
    )
}


def in_order(scene: Scene, status: str, kind: str) -> RcpMessage:
    """A message that nothing but the status can forbid."""
    if kind == "request":
        return scene.ask()
    held = scene.c if status != "none" else come_to("proposed").c
    fields: dict[str, object] = {}
    if kind in ("counter", "revise"):
        fields["terms"] = terms(20)
    if kind in ("report", "verify"):
        fields["evidence"] = (GOOD,)
    if kind == "violate":
        # A late row breaks the date only while nothing in time was reported.
        fields["evidence"] = (LATE,)
    return about(held, kind, SENDERS[kind], scene.next_id(), **fields)


def ready(status: str, kind: str) -> tuple[Scene, RcpMessage]:
    """A scene in which a message of this kind is in order, if it can be in this status."""
    scene = come_to(status)
    if status == "accepted" and kind in ("accept", "reject", "expire"):
        scene.do("c", "revise", "ann", terms=terms(20))
    if status == "reported" and kind == "violate":
        scene = come_to("accepted")
        scene.do("c", "report", "bob", evidence=(replace(GOOD, at=50),))
    return scene, in_order(scene, status, kind)


Breaker = Callable[[Scene, RcpMessage], RcpMessage]


def _identity(scene: Scene, message: RcpMessage) -> RcpMessage:
    if message.kind == "request":  # names parties and conversation itself, but not a used id
        return replace(message, id="m1")
    return replace(message, conversation="another")


def _authority(scene: Scene, message: RcpMessage) -> RcpMessage:
    if message.kind == "request":
        return replace(message, chain=("plant", "somebody"))
    if message.kind == "expire":
        return replace(message, sender="ann", receiver="ann")
    return replace(message, sender=message.receiver, receiver=message.sender)


def _version(scene: Scene, message: RcpMessage) -> RcpMessage:
    return replace(message, version=1 if message.kind in ("counter", "revise") else 99)


def _evidence(scene: Scene, message: RcpMessage) -> RcpMessage:
    return replace(message, evidence=())


def _once(scene: Scene, message: RcpMessage) -> RcpMessage:
    scene.do("c", "counter", "bob", terms=terms(20))
    return replace(message, version=3)


def _terms(scene: Scene, message: RcpMessage) -> RcpMessage:
    if message.kind == "accept":
        return replace(message, promise=1000)
    return replace(message, terms=terms(20, what="another hole"))


def _parent(scene: Scene, message: RcpMessage) -> RcpMessage:
    scene.do("up", "terminate", "plant")
    return message


def _cycle(scene: Scene, message: RcpMessage) -> RcpMessage:
    return replace(message, receiver="plant")


def _scope(scene: Scene, message: RcpMessage) -> RcpMessage:
    return replace(message, terms=replace(terms(), scope=frozenset({"drill", "paint"})))


def _replaces(scene: Scene, message: RcpMessage) -> RcpMessage:
    return replace(message, replaces="nothing")


def _bound(scene: Scene, message: RcpMessage) -> RcpMessage:
    scene.book.apply(scene.ask("cleo", "e"))
    scene.do("e", "accept", "cleo")
    return message


def _dependencies(scene: Scene, message: RcpMessage) -> RcpMessage:
    scene.pass_on()
    return message


#: Guard -> what breaks this guard's condition and, where it can be, no other.
BREAKERS: dict[str, Breaker] = {
    "identity": _identity,
    "authority": _authority,
    "version": _version,
    "evidence": _evidence,
    "once": _once,
    "terms": _terms,
    "parent": _parent,
    "cycle": _cycle,
    "scope": _scope,
    "replaces": _replaces,
    "bound": _bound,
    "dependencies": _dependencies,
}
