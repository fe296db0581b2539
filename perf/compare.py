"""Name what became more than 10 % worse between two result files of goals.py.

`python perf/compare.py OLD.json NEW.json`; exit code 1 if anything did.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

TOLERANCE = 1.10


def read(path: str) -> dict[str, dict[str, object]]:
    goals = json.loads(Path(path).read_text(encoding="utf-8"))["goals"]
    return {goal["goal"]: goal for goal in goals}


def worse(old: dict[str, object], new: dict[str, object]) -> float:
    """How many times worse the new figure is; below 1 it is better."""
    before, after = float(str(old["measured"])), float(str(new["measured"]))
    return before / after if new["better"] == "higher" else after / before


def main(old_path: str, new_path: str) -> int:
    old, new = read(old_path), read(new_path)
    slower = False
    for name, goal in new.items():
        if name not in old:
            continue
        times = worse(old[name], goal)
        if times > TOLERANCE:
            slower = True
            before, after = old[name]["measured"], goal["measured"]
            print(f"{name}: {before:.3g} -> {after:.3g}, {100 * (times - 1):.0f} % worse")
    return int(slower)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} OLD.json NEW.json")
    sys.exit(main(*sys.argv[1:]))
