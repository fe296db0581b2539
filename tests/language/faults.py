"""A scripted OpenAI-compatible server on this computer: right answers and every fault, by name."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
Script = Callable[[Body, int], str]
SLOW_S = 0.2


def payload_of(body: Body) -> dict[str, Any]:
    """The payload in the user message of a request."""
    found: dict[str, Any] = json.loads(body["messages"][1]["content"])
    return found


def chosen(body: Body) -> int:
    """A legal action, by a hash of the body, in which the model's name stands."""
    drawn = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()
    legal = payload_of(body)["legal_actions"]
    return int(legal[int.from_bytes(drawn[:8], "big") % len(legal)])


#: Content of a reply that arrives but does not count, or counts although something is odd.
REPLIES: dict[str, Callable[[Body], dict[str, Any]]] = {
    "ok": lambda body: {"content": f'{{"action": {chosen(body)}}}'},
    "first": lambda body: {"content": f'{{"action": {payload_of(body)["legal_actions"][0]}}}'},
    "prose": lambda body: {"content": f"I choose action {chosen(body)}."},
    "prose_illegal": lambda body: {
        "content": f'I considered {chosen(body)} but it blocks. {{"action": 99}}'
    },
    "fenced": lambda body: {"content": f'```json\n{{"action": {chosen(body)}}}\n```'},
    "string": lambda body: {"content": f'{{"action": "{chosen(body)}"}}'},
    "boolean": lambda _: {"content": '{"action": true}'},
    "out_of_range": lambda _: {"content": '{"action": 99}'},
    "refusal": lambda _: {"content": None, "refusal": "I cannot do that."},
    "empty": lambda _: {"content": ""},
    "length": lambda body: {"content": f'{{"action": {chosen(body)}}}', "finish": "length"},
    "no_usage": lambda body: {"content": f'{{"action": {chosen(body)}}}', "usage": None},
    "echo_key": lambda _: {"content": "{key}"},
}
STATUSES = {"400": 400, "401": 401, "429": 429, "500": 500}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer: two would wait 40 ms for each other
    disable_nagle_algorithm = True
    server: FaultServer

    def log_message(self, format: str, *args: Any) -> None:
        """Be silent."""

    def do_POST(self) -> None:
        """Answer as the script says."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = self.server.took(body, dict(self.headers), self.path)
        if fault == "never":
            self.server.closing.wait(60)
            self.close_connection = True
            return
        if fault == "slow":
            time.sleep(SLOW_S)
        if fault in STATUSES or fault.startswith("429 "):
            self._refuse(fault)
            return
        self._reply(body, fault)

    def _refuse(self, fault: str) -> None:
        status, _, wait = fault.partition(" ")
        told = f"scripted {status}, your key is {self.headers.get('Authorization')}"
        text = json.dumps({"error": {"message": told}}).encode()
        self.send_response(int(status))
        if wait:
            self.send_header("Retry-After", wait)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _reply(self, body: Body, fault: str) -> None:
        made = REPLIES.get(fault, REPLIES["ok"])(body)
        content = made["content"]
        if fault == "echo_key":
            content = f"{self.headers.get('Authorization')}"
        message = {"role": "assistant", "content": content, "refusal": made.get("refusal")}
        choice = {"index": 0, "message": message, "finish_reason": made.get("finish", "stop")}
        answer = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
        usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
        text = json.dumps(
            {**answer, "choices": [choice], "usage": made.get("usage", usage)}
        ).encode()
        if fault == "not_json":
            text = text[: len(text) // 2]
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if fault == "drip":
            self._drip(text)
            return
        self.wfile.write(text[: len(text) // 2] if fault == "cut_body" else text)
        self.close_connection = fault == "cut_body"

    def _drip(self, text: bytes) -> None:
        for position in range(len(text)):
            if self.server.closing.wait(SLOW_S):
                return
            self.wfile.write(text[position : position + 1])
            self.wfile.flush()


class FaultServer(ThreadingHTTPServer):
    """Serves until closed; `bodies` and `headers` hold what arrived, in order."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.bodies: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def took(self, body: Body, headers: dict[str, str], path: str) -> str:
        """Note a request; what to do with it."""
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self.paths.append(path)
            return self.script(body, len(self.bodies))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


@contextmanager
def serving(script: Script | str = "ok") -> Iterator[FaultServer]:
    """Run a server; a name serves that fault for ever."""
    server = FaultServer((lambda _, __: script) if isinstance(script, str) else script)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def free_port_url() -> str:
    """A URL at which nobody listens."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
