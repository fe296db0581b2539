"""Server: one request to an OpenAI-compatible server through the official client.

The client's retries are the only retry layer. What is added around each attempt: its turn in the
queue of the run, a pause for everybody when the server asks for one, and a look at how the
attempt ended, which decides between `late` and `infra_error` when the time is up.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from desbench.errors import InfraError, InputError, MissingExtra
from desbench.language import secrecy
from desbench.language.cache import Answer
from desbench.language.ledger import Ledger
from desbench.language.settings import DEFAULT_URL, Settings

CONNECT_S = 10.0  #: to reach a server at all
NO_KEY = "none"  #: sent to servers that ask for no key
_call: ContextVar[Call] = ContextVar("desbench_call")


class Call:
    """One decision on its way: its time limit, and how the last attempt went."""

    def __init__(self, tokens: int, limit: asyncio.Timeout) -> None:
        self.tokens = tokens
        self.limit = limit
        self.attempts = 0
        self.trouble = "was not reached"  #: why the server has not accepted it; "" = it has
        self.waited_s = 0.0  #: in our own queue

    async def traced(self, event: str, _: Mapping[str, Any]) -> None:
        """Take note that a request has left: the server has it."""
        if event.endswith("send_request_headers.complete"):
            self.trouble = ""

    @contextmanager
    def own_time(self) -> Iterator[None]:
        """Stop the clock of the time limit: what we wait for here is not the server."""
        now = asyncio.get_running_loop().time
        started, ends = now(), self.limit.when()
        self.limit.reschedule(None)
        try:
            yield
        finally:
            spent = now() - started
            self.waited_s += spent
            if ends is not None and not self.limit.expired():
                self.limit.reschedule(ends + spent)


class Server:
    """The client of one base URL; lives on the loop of `loop.py`."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        try:
            import openai
        except ImportError:
            raise MissingExtra('openai_compat needs: pip install "desbench[llm]"') from None
        key, url = _key(settings), secrecy.private_url(settings.base_url)
        self.hidden = secrecy.secrets("" if key == NO_KEY else key, url)
        self._errors = openai
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=url,
            max_retries=settings.retries,
            timeout=openai.Timeout(
                settings.decision_timeout, connect=min(CONNECT_S, settings.decision_timeout)
            ),
            http_client=_watched(openai, ledger, settings),
        )

    async def ask(self, body: Mapping[str, Any], call: Call) -> Answer:
        """Send one request body.

        Raises
        ------
        InfraError
            The server gave no answer, after the retries of the client.
        """
        token = _call.set(call)
        started = time.perf_counter() - call.waited_s
        fixed = {name: body[name] for name in ("model", "messages")}
        rest = {name: value for name, value in body.items() if name not in fixed}
        before = call.attempts
        try:
            raw = await self._client.chat.completions.with_raw_response.create(
                **fixed, extra_body=rest
            )
            text = raw.http_response.text
        except self._errors.APIStatusError as error:
            raise InfraError(self._told(error)) from None
        except self._errors.APIError as error:
            told = secrecy.hide(f"{type(error).__name__} ({call.trouble})", self.hidden)
            raise InfraError(f"the model server {told}") from None
        finally:
            _call.reset(token)
        spent = time.perf_counter() - started - call.waited_s
        return self._read(text, round(spent, 6), call.attempts - before - 1)

    def _told(self, error: Any) -> str:
        """One sentence of what the server refused, without headers, keys or addresses."""
        words = " ".join(str(error.message).split())[:300]
        hint = ""
        if error.status_code == 400:
            hint = "; a server that takes no JSON schema needs --llm-format text"
        if error.status_code in (401, 403):
            hint = "; set the key in the environment (OPENAI_API_KEY or --key-variable NAME)"
        told = secrecy.hide(words, self.hidden)
        return f"the model server answered {error.status_code}: {told}{hint}"

    def _read(self, text: str, latency_s: float, retries: int) -> Answer:
        """Take apart a chat completion; whatever is not one is no answer."""
        try:
            content = json.loads(text)
            choice = content["choices"][0]
            message = choice["message"]
            usage = content.get("usage") or {}
            counts = [usage.get(f"{name}_tokens") for name in ("prompt", "completion")]
            words = [message.get("content"), message.get("refusal")]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise InfraError("the model server's answer is no chat completion") from None
        said, refusal = [
            None if one is None else secrecy.hide(_text(one), self.hidden) for one in words
        ]
        read, written = [one if type(one) is int else None for one in counts]
        finish = str(choice.get("finish_reason") or "")
        return Answer(said, finish, refusal, read, written, latency_s, retries)


def _text(words: Any) -> str:
    """Text that can be stored: no lone surrogates; what is no text is shown as JSON."""
    text = words if isinstance(words, str) else json.dumps(words)
    return text.encode("utf-8", "replace").decode()


def _key(settings: Settings) -> str:
    key = os.environ.get(settings.key_variable, "").strip()
    if not key and settings.base_url == DEFAULT_URL:
        raise InputError(
            f"{settings.base_url} needs a key: set {settings.key_variable} in the environment, "
            "or name another server with --base-url"
        )
    return key or NO_KEY


def _watched(openai: Any, ledger: Ledger, settings: Settings) -> Any:
    """Return the client's own HTTP client with our steps around each attempt."""
    places = asyncio.Semaphore(settings.concurrency)

    class Watched(openai.DefaultAsyncHttpxClient):  # type: ignore[misc]
        async def send(self, request: Any, **options: Any) -> Any:
            call = _call.get()
            with call.own_time():
                await places.acquire()
            try:
                await _turn(call, ledger)
                call.attempts += 1
                call.trouble = "was not reached"
                request.extensions["trace"] = call.traced
                response = await super().send(request, **options)
            except Exception as error:
                call.trouble = f"gave no answer: {type(error).__name__}"
                raise
            finally:
                places.release()
            if response.status_code >= 400:
                call.trouble = f"answered {response.status_code}"
                if response.status_code in (429, 503):
                    ledger.pause(_stated_pause(response.headers))
            return response

    return Watched()


async def _turn(call: Call, ledger: Ledger) -> None:
    """Wait for our turn. Our own pace does not count as the server's time; its pause does."""
    while (delay := ledger.turn(call.tokens)) > 0:
        if ledger.paused():
            await asyncio.sleep(delay)
            continue
        with call.own_time():
            await asyncio.sleep(delay)
        if not ledger.paused():
            return


def _stated_pause(headers: Mapping[str, str]) -> float:
    """Seconds the server asks us to wait; 0 when it does not say."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 < seconds < float("inf"):
            return seconds
    return 0.0
