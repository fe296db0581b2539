"""Responsibility-centered: work is passed on by commitments; who owes it answers for failures."""

from desbench.protocol.authority import AuthorityMode

MODE = AuthorityMode(
    mode_id="responsibility_rcm",
    routing_authority_mode="responsibility",
    cell_contract_actions="accept_reject",
)
