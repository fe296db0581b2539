"""Heterarchical: a mediated contract net among cells that may refuse; failures return the item."""

from desbench.protocol.authority import AuthorityMode

MODE = AuthorityMode(
    mode_id="heterarchical_cnp",
    routing_authority_mode="mediated_cnp",
    cell_contract_actions="accept_reject",
    area_local_reroute_enabled=False,
    plant_reroute_required=False,
    mediated_bid_round_enabled=True,
)
