"""Any combination of the switches runs to an end."""

from __future__ import annotations

from itertools import product

import pytest
from desbench.controllers.backends.random import RandomBackend
from desbench.controllers.frameworks.native import Native

from desbench.protocol.authority import CONTRACT_ACTIONS, ROUTING_MODES, AuthorityMode
from protocol.playing import Scripted, decline, play
from shops import random_instance

SEEDS = range(5)
STATUSES = {"done", "deadlock", "no_progress", "horizon", "decision_limit"}
FLAGS = (False, True)


@pytest.mark.parametrize("routing", ROUTING_MODES)
@pytest.mark.parametrize("contract", CONTRACT_ACTIONS)
def test_every_combination_ends_with_a_cause(routing: str, contract: str) -> None:
    """64 organisations, rules, chance and refusal, on shops where rules meet often."""
    for local, plant, bids in product(FLAGS, FLAGS, FLAGS):
        mode = AuthorityMode("test_all", routing, contract, local, plant, bids)
        for seed in SEEDS:
            instance = random_instance(seed)
            refusal = Scripted(commit=decline, bid=decline, reroute=decline)
            for runner in (Scripted(), Native(RandomBackend(seed)), refusal):
                assert play(instance, mode, runner).status in STATUSES
