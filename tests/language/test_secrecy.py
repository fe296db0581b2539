"""Keys and credentials: in no file, no log, no error, whatever the server does with them."""

from __future__ import annotations

import base64
import logging
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from desbench.cli import main
from desbench.errors import InputError
from desbench.language.secrecy import default_url, hide, private_url, public_url, secrets
from desbench.sweep import Options
from language.faults import FaultServer, serving

KEY = "sk-planted-0123456789"
PASSWORD = "pl4nted-passw0rd"
TOKEN = "pl4nted-t0ken"


@pytest.mark.parametrize(
    "url, public",
    [
        ("http://h:1/v1/", "http://h:1/v1"),
        ("https://me:secret@h/v1?key=abc#x", "https://h/v1"),
        ("http://[::1]:8/v1", "http://[::1]:8/v1"),
    ],
)
def test_a_public_url_has_no_credential(url: str, public: str) -> None:
    """It stands in the manifest, the key of answers and the digest of runs."""
    assert public_url(url) == public


@pytest.mark.parametrize("url", ["h/v1", "ftp://u:secret@h", "http://h:secret/v1", "http://"])
def test_a_wrong_url_is_not_repeated(url: str) -> None:
    """The error may be seen by others, and what is wrong with a URL may be a key in it."""
    with pytest.raises(InputError) as caught:
        public_url(url)
    assert "secret" not in str(caught.value)


def test_a_credential_moves_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever makes Options: workers and a later resume find it there, and nobody else."""
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    given = f"http://me:{PASSWORD}@h/v1?key={TOKEN}"
    assert Options(("smoke",), base_url=given).base_url == "http://h/v1"
    assert os.environ["OPENAI_BASE_URL"] == given
    assert default_url() == "http://h/v1"
    assert private_url("http://h/v1") == given
    assert private_url("http://other/v1") == "http://other/v1"
    told = hide(f"{PASSWORD} {TOKEN} {KEY} fine", secrets(KEY, given))
    assert told == "[hidden] [hidden] [hidden] fine"


def everything(folder: Path) -> bytes:
    """All bytes of all files under a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def run(server: FaultServer, out: Path, user: str) -> str:
    """Run the command with planted credentials; all it printed."""
    url = server.url.replace("http://", f"http://{user}") + f"?key={TOKEN}"
    line = ["run", "--suite", "smoke", "--paradigm", "centralized_plant", "--limit", "1"]
    line += ["--controller", "rules", "--controller", "release=openai_compat", "--retries", "0"]
    line += ["--llm-model", "M", "--base-url", url, "--output-dir", str(out), "--debug"]
    done = CliRunner().invoke(main, line)
    return done.output + done.stderr


@pytest.mark.parametrize("user", ["", f"me:{PASSWORD}@"])
@pytest.mark.parametrize("fault", ["ok", "401", "echo_key", "cut_body", "429"])
def test_nothing_planted_is_found_again(
    fault: str,
    user: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Servers repeat keys in errors and even in replies; logs of libraries show addresses."""
    pytest.importorskip("openai", reason="needs desbench[llm]")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    caplog.set_level(logging.DEBUG, "desbench")
    with serving(fault) as server:
        said = run(server, tmp_path / "out", user)
        sent = f"{server.headers} {server.paths}"  # they were really sent
    found = everything(tmp_path).decode("latin-1") + said + caplog.text
    basic = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    assert TOKEN in sent
    assert (basic if user else KEY) in sent
    for secret in (KEY, PASSWORD, TOKEN, basic):
        assert secret not in found
    if fault == "echo_key":
        assert "[hidden]" in found


@pytest.mark.parametrize("words, told", [(["--help"], "run"), (["run", "--help"], "--llm-model")])
def test_help_imports_no_client(words: list[str], told: str) -> None:
    """Help answers at once and needs no extra, with all commands or with one."""
    import subprocess
    import sys

    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom desbench.cli import main\n"
        f"done = CliRunner().invoke(main, {words!r})\n"
        f"assert {told!r} in done.output\n"
        "print([m for m in ('openai', 'langgraph', 'agentscope', 'numpy', 'pyarrow', 'sqlite3', "
        "'asyncio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
