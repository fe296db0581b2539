"""Hierarchical: plant, area, cell in a fixed chain; failures go up to the plant."""

from desbench.protocol.authority import AuthorityMode

MODE = AuthorityMode(
    mode_id="hierarchical_chain",
    routing_authority_mode="plant_area_cell",
    cell_contract_actions="accept_only",
    area_local_reroute_enabled=False,
    plant_reroute_required=True,
    mediated_bid_round_enabled=False,
)
