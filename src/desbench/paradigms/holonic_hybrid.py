"""Holonic: a hierarchy whose cells may refuse and whose areas repair before the plant is asked."""

from desbench.protocol.authority import AuthorityMode

MODE = AuthorityMode(
    mode_id="holonic_hybrid",
    routing_authority_mode="holonic_hybrid",
    cell_contract_actions="accept_reject",
    area_local_reroute_enabled=True,
    plant_reroute_required=False,
    mediated_bid_round_enabled=False,
)
