"""Centralized: the plant picks item and cell, the cell obeys, the plant repairs failures."""

from desbench.protocol.authority import AuthorityMode

MODE = AuthorityMode(
    mode_id="centralized_plant",
    routing_authority_mode="plant_direct",
    cell_contract_actions="accept_only",
    area_local_reroute_enabled=False,
    plant_reroute_required=True,
    mediated_bid_round_enabled=False,
)
