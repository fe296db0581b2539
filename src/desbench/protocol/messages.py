"""Performatives: the words of the messages that count (`docs/protocols.md`, Messages)."""

from __future__ import annotations

from typing import Final

ASSIGN: Final = "assign"  #: plant or area -> cell: you get this item
DELEGATE: Final = "delegate"  #: plant -> area: place this item
ACCEPT: Final = "accept"  #: cell -> chooser
REJECT: Final = "reject"  #: cell -> chooser
ESCALATE: Final = "escalate"  #: area -> plant: this item is yours again
CFP: Final = "cfp"  #: mediator -> cell
PROPOSE: Final = "propose"  #: cell -> mediator, with a promise
REFUSE: Final = "refuse"  #: cell -> mediator
ACCEPT_PROPOSAL: Final = "accept-proposal"  #: mediator -> cell
REJECT_PROPOSAL: Final = "reject-proposal"  #: mediator -> cell
INFORM: Final = "inform"  #: awarded cell -> mediator: accepted; plant -> area: another cap
FAILURE: Final = "failure"  #: cell -> superior: refused after an award, or stranded
CANCEL: Final = "cancel"  #: superior -> the cell an item was stranded in
REROUTE: Final = "reroute"  #: superior -> the cell that gets the item instead

PERFORMATIVES: Final = (
    *(ASSIGN, DELEGATE, ACCEPT, REJECT, ESCALATE),
    *(CFP, PROPOSE, REFUSE, ACCEPT_PROPOSAL, REJECT_PROPOSAL, INFORM, FAILURE),
    *(CANCEL, REROUTE),
)
