"""Options of `desbench run` for language models, and its dry run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from desbench.sweep.options import Options

#: Options that limit a run and change no result; a resumed run may have others.
ECONOMY = (
    "concurrency",
    "retries",
    "requests_per_minute",
    "tokens_per_minute",
    "max_calls",
    "max_cost",
)

_OPTIONS = (
    click.option(
        "--llm-model", "llm_models", multiple=True, metavar="M",
        help="Model, or ROLE=M for one role or kind of decision; repeat.",
    ),
    click.option(
        "--base-url", metavar="URL",
        help="OpenAI-compatible server.  [default: OPENAI_BASE_URL, else api.openai.com]",
    ),
    click.option(
        "--key-variable", default="OPENAI_API_KEY", show_default=True, metavar="NAME",
        help="Environment variable that holds the key.",
    ),
    click.option(
        "--llm-format", type=click.Choice(["schema", "json", "grammar", "text"]),
        default="schema", show_default=True,
        help="How the server is told the form of an answer; text: only in words.",
    ),
    click.option(
        "--llm-max-tokens", type=click.IntRange(1), default=24, show_default=True,
        help="Length of an answer.",
    ),
    click.option("--llm-seed", type=int, default=0, show_default=True, help="Replicates add."),
    click.option(
        "--llm-extra", default="", metavar="JSON",
        help="Fields merged into every request; null removes one.",
    ),
    click.option(
        "--llm-cache", metavar="FILE",
        help="Answers, kept and used again.  [default: OUT/answers.sqlite]",
    ),
    click.option("--prices", metavar="FILE", help="MODEL: {input: X, output: Y}, per 1e6 tokens."),
    click.option(
        "--decision-timeout", type=click.FloatRange(0, min_open=True), default=120.0,
        show_default=True, metavar="S", help="Seconds for one decision, retries included.",
    ),
    click.option(
        "--reasks", type=click.IntRange(0), default=0, show_default=True,
        help="How often to ask again after an answer that does not count.",
    ),
    click.option(
        "--memory", type=click.Choice(["bounded", "off"]), default="bounded", show_default=True,
        help="Whether frameworks tell agents of earlier epochs (600 characters).",
    ),
    click.option(
        "--concurrency", type=click.IntRange(1), default=8, show_default=True,
        help="Requests at once, over all workers.",
    ),
    click.option(
        "--retries", type=click.IntRange(0), default=4, show_default=True,
        help="Of the client, after 408, 409, 429, 5xx and lost connections.",
    ),
    click.option("--requests-per-minute", type=click.FloatRange(0), default=0.0, metavar="N"),
    click.option("--tokens-per-minute", type=click.FloatRange(0), default=0.0, metavar="N"),
    click.option("--max-calls", type=click.IntRange(0), default=0, metavar="N",
                 help="Stop after so many requests; OUT remembers them."),
    click.option("--max-cost", type=click.FloatRange(0), default=0.0, metavar="X",
                 help="Stop when so much is spent, by --prices."),
    click.option("--dry-run", is_flag=True,
                 help="Play with rules; show cases, calls, prompt tokens and the first prompt."),
)  # fmt: skip


def language_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def dry_run(options: Options, economy: Any) -> None:
    """Print what a run would ask of language models, and ask nothing."""
    from desbench.report.text import aligned
    from desbench.sweep.rehearsal import METHOD, rehearse

    found = rehearse(options, economy)
    rows = [["suite", "paradigm", "controller", "cases", "calls", "prompt_tokens", "cost"]]
    for (suite, paradigm, controller), one in found.totals.items():
        cost = "-" if one.cost is None else f"{one.cost:.6g}"
        counts = [str(one.cases), str(one.calls), str(one.tokens), cost]
        rows.append([suite, paradigm, controller, *counts])
    click.echo("dry run: decisions by the default rules, nothing was asked or written")
    for line in aligned(rows, left=3):
        click.echo(line)
    calls = sum(one.calls for one in found.totals.values())
    tokens = sum(one.tokens for one in found.totals.values())
    click.echo(f"in all {calls} calls, {tokens} prompt tokens ({METHOD})")
    for message in found.first:
        click.echo(f"\n--- {message['role']}\n{message['content']}")
