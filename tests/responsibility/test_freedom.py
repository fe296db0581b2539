"""The library stands on its own."""

from __future__ import annotations

import subprocess
import sys


def test_importing_it_loads_no_simulator_and_no_library() -> None:
    """An agent somewhere else may use it without a factory, numpy or a compiler."""
    code = (
        "import sys, desbench.paradigms.responsibility;"
        "print([m for m in sys.modules if m.split('.')[0] in ('numpy', 'pyarrow', 'yaml')"
        " or m.startswith(('desbench._engine', 'desbench.instances', 'desbench.episode'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
