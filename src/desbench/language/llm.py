"""LanguageModel: asks a model for one view, accepts or refuses the reply, keeps the account.

Kept answers cost nothing: a request that was answered before, in this run, in an earlier attempt
of it, or in the file given, is not sent again.
"""

from __future__ import annotations

import asyncio
import atexit
import errno
import json
import math
import os
import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from desbench.errors import InfraError, InputError, TraceError
from desbench.language import prompt
from desbench.language.cache import Answer, Answers, canonical, key_of
from desbench.language.ledger import Ledger
from desbench.language.reply import LATE, TRUNCATED, Answered, Reply, Verdict, correction, judge
from desbench.language.server import Call, Server
from desbench.language.settings import Settings
from desbench.protocol.decision import OK, Note

LONGEST = 20_000  #: characters of a raw reply that the trace keeps
Messages = Sequence[prompt.Message]


class CallRow(NamedTuple):
    """One row of the table llm_calls."""

    epoch: int
    agent: str
    kind: str
    attempt: int  #: 1, and one more for each re-ask
    model: str
    outcome: str
    action: int  #: as read, legal or not; -1 = none
    text: str | None
    finish_reason: str | None
    input_tokens: int  #: as the server counts; -1 = it does not say
    output_tokens: int
    latency_s: float
    retries: int
    cached: int  #: 1: kept from an earlier request
    cost: float | None
    request: str  #: key of the answer in the cache


class LanguageModel:
    """The backend behind `openai_compat` and `recorded`.

    Parameters
    ----------
    settings
        Model, server, limits.
    is_offline
        Answers come from the file of kept answers alone; one that is not there is an error.
    """

    source = "llm"
    takes_settings = True

    def __init__(self, settings: Settings, is_offline: bool = False) -> None:
        if not settings.named_models:
            raise InputError("a language model must be named: add --llm-model NAME")
        self.settings = settings
        self._is_offline = is_offline
        self._extra = _extra(settings.extra)
        self._prices = {model: (read, written) for model, read, written in settings.prices}
        self._answers = Answers(settings.cache, is_there=is_offline)
        self._url = settings.base_url
        if is_offline:
            urls = self._answers.urls()
            # One server was recorded: nobody has to remember its address.
            self._url = urls[0] if len(urls) == 1 else settings.base_url
        pace = settings.requests_per_minute, settings.tokens_per_minute
        self._ledger = _ledger(settings.ledger, *pace) if settings.ledger else Ledger("", *pace)
        self._server = None if is_offline else _server_of(settings, self._ledger)
        self._asked: dict[str, asyncio.Lock] = {}
        self._rows: list[CallRow] = []
        self._epoch = -1

    @property
    def llm_calls(self) -> list[CallRow]:
        """Rows of this episode, in an order that does not depend on who answered first."""
        return sorted(self._rows, key=lambda row: (row.epoch, row.agent, row.attempt))

    @property
    def paid(self) -> dict[str, float]:
        """Calls, tokens and cost of the run, all its attempts together."""
        return self._ledger.bill(self.settings.run)

    def reset(self, info: Mapping[str, Any]) -> None:
        """Begin an episode."""
        self._rows.clear()

    def close(self) -> None:
        """Leave the file of answers whole; nothing can be asked afterwards."""
        self._answers.close()

    def opened(self, decision: Mapping[str, Any]) -> None:
        """Take note of the epoch."""
        self._epoch = decision["epoch"]

    def body(self, view: Mapping[str, Any], asked: Messages, max_tokens: int) -> dict[str, Any]:
        """Return the request body for the messages of a view."""
        settings = self.settings
        model = settings.model_of(view)
        if not model:
            told = f"{view['role']} or {view['kind']}"
            raise InputError(f"no language model for {told}: add --llm-model NAME")
        body = {
            "model": model,
            "messages": [dict(one) for one in asked],
            "temperature": settings.temperature,
            "seed": settings.seed + settings.replicate,
            "max_tokens": max_tokens,
            **_shape(settings.format, view["legal_actions"]),
            **self._extra,
        }
        return {name: value for name, value in body.items() if value is not None}

    async def answer(self, view: Mapping[str, Any], asked: Messages) -> Answered:
        """Ask for one action, again if the settings say so, within the limit of a decision.

        Raises
        ------
        InfraError, BudgetReached
            Nobody can be blamed for the missing answer, or no call is left.
        """
        settings, attempt = self.settings, 0
        call: Call | None = None
        body: dict[str, Any] = {}
        verdict = Verdict(None, LATE)
        max_tokens = settings.max_tokens
        try:
            async with asyncio.timeout(settings.decision_timeout) as limit:
                call = Call(prompt.tokens(asked) + max_tokens, limit)
                while attempt <= settings.reasks and verdict.outcome != OK:
                    if attempt:
                        asked = prompt.corrected(asked, correction(verdict, view["legal_actions"]))
                        # The same limit would cut the same answer again.
                        max_tokens *= 2 if verdict.outcome == TRUNCATED else 1
                    attempt += 1
                    body = self.body(view, asked, max_tokens)
                    verdict = await self._attempt(view, body, attempt, call)
        except TimeoutError:
            if call is None or call.trouble:
                told = call.trouble if call else "was not reached"
                seconds = f"{settings.decision_timeout:g} s"
                raise InfraError(f"the model server {told}, after {seconds}") from None
            verdict = Verdict(None, LATE)
            self._late(view, body, attempt)
        action = verdict.action if verdict.outcome == OK else None
        took = math.fsum(
            row.latency_s
            for row in self._rows
            if (row.epoch, row.agent) == (self._epoch, view["agent"])
        )
        return Answered(action, Note(self.source, verdict.outcome, attempt, took))

    async def _attempt(
        self, view: Mapping[str, Any], body: Mapping[str, Any], attempt: int, call: Call
    ) -> Verdict:
        """One request, or the kept answer to it, through the gate and into the table."""
        sent = canonical(body)
        key = key_of(sent, self._url, self.settings.replicate)
        answer, is_cached = self._answers.get(key), True
        if answer is None:
            answer, is_cached = await self._fetch(view, body, sent, key, call)
        verdict = judge(
            Reply(answer.text, answer.finish_reason, answer.refusal), view["legal_actions"]
        )
        said = answer.refusal if answer.text is None else answer.text
        self._rows.append(
            CallRow(
                epoch=self._epoch,
                agent=view["agent"],
                kind=view["kind"],
                attempt=attempt,
                model=body["model"],
                outcome=verdict.outcome,
                action=_number(verdict.action),
                text=said[:LONGEST] if said is not None else None,
                finish_reason=answer.finish_reason,
                input_tokens=_number(answer.input_tokens),
                output_tokens=_number(answer.output_tokens),
                latency_s=answer.latency_s,
                retries=answer.retries,
                cached=int(is_cached),
                cost=self._cost(body, answer),
                request=key,
            )
        )
        return verdict

    async def _fetch(
        self, view: Mapping[str, Any], body: Mapping[str, Any], sent: str, key: str, call: Call
    ) -> tuple[Answer, bool]:
        """Ask the server, once for equal requests of one epoch; whether it was kept after all."""
        settings = self.settings
        if self._server is None:
            raise InputError(
                f"recorded: no answer in {settings.cache} for {view['agent']}, {view['kind']} "
                f"(epoch {self._epoch}, model {body['model']}); "
                "the run was recorded with other settings or cases"
            )
        lock = self._asked.setdefault(key, asyncio.Lock())
        with call.own_time():
            await lock.acquire()
        try:
            kept = self._answers.get(key)
            if kept is not None:
                return kept, True
            self._ledger.begin_call(settings.run, settings.max_calls, settings.max_cost)
            fresh = await self._server.ask(body, call)
            self._pay(body, fresh)
            return self._kept(key, sent, fresh), False
        finally:
            lock.release()

    def _kept(self, key: str, sent: str, fresh: Answer) -> Answer:
        settings = self.settings
        try:
            return self._answers.keep(key, sent, self._url, settings.replicate, fresh)
        except sqlite3.OperationalError as error:
            full = OSError(errno.ENOSPC, str(error)) if "full" in str(error) else error
            raise TraceError(f"{settings.cache}: cannot be written ({error})") from full

    def _late(self, view: Mapping[str, Any], body: Mapping[str, Any], attempt: int) -> None:
        settings = self.settings
        key = key_of(canonical(body), self._url, settings.replicate)
        self._rows.append(
            CallRow(
                epoch=self._epoch,
                agent=view["agent"],
                kind=view["kind"],
                attempt=attempt,
                model=body["model"],
                outcome=LATE,
                action=-1,
                text=None,
                finish_reason=None,
                input_tokens=-1,
                output_tokens=-1,
                latency_s=settings.decision_timeout,
                retries=0,
                cached=0,
                cost=None,
                request=key,
            )
        )

    def _pay(self, body: Mapping[str, Any], answer: Answer) -> None:
        tokens = answer.input_tokens or 0, answer.output_tokens or 0
        self._ledger.spend(self.settings.run, *tokens, self._cost(body, answer) or 0.0)

    def _cost(self, body: Mapping[str, Any], answer: Answer) -> float | None:
        """Price of a call; where the server does not count, by our own estimate of tokens."""
        if body["model"] not in self._prices:
            return None
        read, written = answer.input_tokens, answer.output_tokens
        if read is None:
            read = prompt.tokens(body["messages"])
        if written is None:
            written = prompt.size(answer.text or "")
        price_read, price_written = self._prices[body["model"]]
        return (read * price_read + written * price_written) / 1e6


def _number(value: int | None) -> int:
    """-1 for none, and for a number that no column holds."""
    return value if value is not None and 0 <= value < 2**63 else -1


def _extra(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict) or {"model", "messages", "stream", "n"} & found.keys():
        raise InputError(
            f"extra={text!r}, must be a JSON object of request fields, "
            "none of model, messages, stream, n"
        )
    return found


def _shape(kind: str, legal: Sequence[int]) -> dict[str, Any]:
    """What a server is told about the form of the answer."""
    if kind == "json":
        return {"response_format": {"type": "json_object"}}
    if kind == "grammar":
        numbers = " | ".join(f'"{number}"' for number in legal)
        return {"grammar": 'root ::= "{\\"action\\": " (' + numbers + ') "}"'}
    if kind == "schema":
        action = {"type": "integer", "enum": [*legal]}
        schema = {
            "type": "object",
            "properties": {"action": action},
            "required": ["action"],
            "additionalProperties": False,
        }
        named = {"name": "action", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {}


@lru_cache(maxsize=8)
def _ledger(path: str, requests_per_minute: float, tokens_per_minute: float) -> Ledger:
    """One ledger per run folder and process."""
    ledger = Ledger(path, requests_per_minute, tokens_per_minute)
    atexit.register(ledger.close)
    return ledger


def _server_of(settings: Settings, ledger: Ledger) -> Server:
    """One client per server and process: opening it costs more than many decisions."""
    from desbench.language.secrecy import private_url

    key = os.environ.get(settings.key_variable, "")
    known = (
        *(settings.base_url, private_url(settings.base_url), settings.key_variable, key),
        *(settings.decision_timeout, settings.retries, settings.concurrency, id(ledger)),
    )
    if known not in _servers:
        if len(_servers) >= 8:
            _servers.clear()
        _servers[known] = Server(settings, ledger)
    return _servers[known]


_servers: dict[tuple[Any, ...], Server] = {}
