"""The study of message delays: its delays, its verdict, its tables."""

from __future__ import annotations

from desbench.studies import message_delay as study
from shops import shop


def plays(*differences: list[float]) -> study.Plays:
    """Measures of the two paradigms: by share the differences, case by case."""
    found: study.Plays = {}
    for share, values in enumerate(differences):
        found[share, study.ONE] = [{"cmax": 100.0} for _ in values]
        found[share, study.OTHER] = [{"cmax": 100.0 + value} for value in values]
    return found


def test_a_delay_is_a_share_of_the_mean_duration_of_the_case() -> None:
    """Mean of 10, 20 and 60 over all alternatives is 30; a tenth of it is 3."""
    instance = shop([[{0: 10, 1: 20}], [{0: 60}]])
    assert study.delayed(instance, 0.1).coordination.message_delay == 3
    assert study.delayed(instance, 0.0).digest == instance.digest


def test_the_order_turns_only_where_intervals_say_so() -> None:
    """Lower is better; an interval that holds zero says nothing."""
    apart, close = [5.0, 6.0, 7.0, 8.0], [-9.0, 9.0, -8.0, 8.0]
    turned = study.verdict(plays([-v for v in apart], apart), (0, 1), "cmax")
    assert turned.endswith("the order turns.")
    assert "heterarchical_cnp is better at 0%" in turned
    stayed = study.verdict(plays(close, apart), (0, 1), "cmax")
    assert stayed == "*cmax*: hierarchical_chain is better at 100%; the order does not turn."
    assert study.verdict(plays(close), (0,), "cmax").endswith("no delay tells the two apart.")


def test_the_report_has_a_row_for_each_delay_and_paradigm() -> None:
    """One case is enough to print; it has a difference and no interval."""
    lines = study.main("smoke", (0.0, 0.1)).splitlines()
    assert sum(line.startswith("| 10% |") for line in lines) == 4
    assert sum("1 of 1" in line for line in lines) == 4
