"""Small instances as typed-in figures, so that the tests are whole without any file."""

from __future__ import annotations

from pathlib import Path

#: Fisher and Thompson 1963, optimum 55
FT06 = """\
6 6
2 1 0 3 1 6 3 7 5 3 4 6
1 8 2 5 4 10 5 10 0 10 3 4
2 5 3 4 5 8 0 9 1 1 4 7
1 5 0 5 2 5 3 3 4 8 5 9
2 9 1 3 4 5 5 4 0 3 3 1
1 3 3 3 5 9 0 10 4 4 2 1
"""

#: Lawrence 1984, optimum 666
LA01 = """\
10 5
1 21 0 53 4 95 3 55 2 34
0 21 3 52 4 16 2 26 1 71
3 39 4 98 1 42 2 31 0 12
1 77 0 55 4 79 2 66 3 77
0 83 3 34 2 64 1 19 4 37
1 54 2 43 4 79 0 92 3 62
3 69 4 77 1 87 2 87 0 93
2 38 0 60 1 41 3 24 4 83
3 17 1 49 4 25 0 44 2 98
4 77 3 79 2 43 1 75 0 96
"""

#: Brandimarte 1993, optimum 40; machines from 0
MK01 = """\
10 6
6 2 0 5 2 4 3 4 3 2 5 1 1 2 2 4 5 2 3 5 5 1 6 0 1 1 2 1 3 5 6 2 6 3 3
5 1 1 6 1 2 1 1 0 2 2 1 6 3 6 3 5 5 1 6 0 1
5 1 1 6 2 2 4 5 2 3 5 5 1 6 0 1 3 2 4 1 6 5 6 2 0 1 4 5
5 3 5 5 1 6 0 1 1 1 6 1 2 1 3 4 3 2 5 1 1 2 2 4 5 2
6 3 4 3 2 5 1 1 3 5 5 1 6 0 1 1 1 6 2 0 5 2 4 2 1 6 3 6 3 2 4 1 6 5 6
6 2 2 4 5 2 1 0 2 3 2 4 1 6 5 6 1 1 6 3 5 5 1 6 0 1 2 0 3 3 2
5 1 5 1 2 0 3 3 2 3 2 4 1 6 5 6 3 1 6 4 1 0 6 1 2 1
5 2 2 4 5 2 3 2 4 1 6 5 6 3 5 5 1 6 0 1 1 1 6 2 1 6 3 6
6 1 5 1 2 0 1 4 5 3 5 6 2 6 3 3 1 0 2 3 2 4 1 6 5 6 2 1 6 3 6
6 2 2 4 5 2 3 2 4 1 6 5 6 3 4 3 2 5 1 1 1 5 1 2 1 6 3 6 2 0 3 3 2
"""

#: Fattahi with setups; machines from 1, one blank line before the matrices
FATTAHI01 = """\
2 2 2
2 2 1 25 2 37 2 1 32 2 24
2 2 1 45 2 65 2 1 21 2 65

6 3 4 4
3 6 4 4
3 3 7 4
4 4 4 8
6 3 4 3
3 6 3 3
3 3 6 4
3 4 3 6
"""

#: Deroussi and Norre, jobs in brackets
FJSP05 = """\
5 8
3 (2 (1 12) (2 12)) (2 (3 24) (4 24)) (2 (7 18) (8 18))
3 (2 (1 36) (2 36)) (2 (5 12) (6 12)) (2 (3 30) (4 30))
3 (2 (5 30) (6 30)) (2 (7 6) (8 6)) (2 (1 24) (2 24))
2 (2 (7 12) (8 12)) (2 (3 30) (4 30))
2 (2 (5 6) (6 6)) (2 (1 18) (2 18))
"""

#: their travel times; place 0 is the station
LAYOUT = """\
0 6 8 6 8 10 12 10 12
8 0 2 8 2 4 6 4 6
6 10 0 10 8 2 4 6 4
12 4 6 0 6 8 10 8 10
10 2 4 6 0 6 8 2 8
8 8 2 8 6 0 6 4 2
6 10 8 10 8 6 0 6 4
12 4 6 4 2 8 10 0 10
10 6 4 6 4 2 8 2 0
"""

#: Bilge and Ulusoy 1995, job set 1 in layout 1 (EX11), optimum 96
EX11 = """\
{"note": "Bilge and Ulusoy", "vehicles": 2,
  "layouts": {"1": [
    [0, 6, 8, 10, 12],
    [12, 0, 6, 8, 10],
    [10, 6, 0, 6, 8],
    [8, 8, 6, 0, 6],
    [6, 10, 8, 6, 0]
  ]},
  "job_sets": {"1": [
    [[1, 8], [2, 16], [4, 12]],
    [[1, 20], [3, 10], [2, 18]],
    [[3, 12], [4, 8], [1, 15]],
    [[4, 14], [2, 18]],
    [[3, 10], [1, 15]]
  ]}}
"""

#: the same in the plain form
EX11_PLAIN = """\
5 4 2
1 8 2 16 4 12
1 20 3 10 2 18
3 12 4 8 1 15
4 14 2 18
3 10 1 15
0 6 8 10 12
12 0 6 8 10
10 6 0 6 8
8 8 6 0 6
6 10 8 6 0
"""

#: ft06 as Taillard would have written it: machines from 1
FT06_TAILLARD = """\
Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound
 6 6 0 0 55 52
Times
1 3 6 7 3 6
8 5 10 10 10 4
5 4 8 9 1 7
5 5 5 3 8 9
9 3 5 4 3 1
3 3 9 10 4 1
Machines
3 1 2 4 6 5
2 3 5 6 1 4
3 4 6 1 2 5
2 1 3 4 5 6
3 2 5 6 1 4
2 4 6 1 5 3
"""


TYPED = {
    "ft06": FT06,
    "la01": LA01,
    "mk01": MK01,
    "fattahi01": FATTAHI01,
    "ex11": EX11,
    "ex11_plain": EX11_PLAIN,
    "ft06_taillard": FT06_TAILLARD,
}


def write(folder: Path, content: str | bytes, name: str = "shop.txt") -> Path:
    """Write one file into a folder."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def counted_from_one(text: str) -> str:
    """Renumber the machines of a flexible job shop, and set it as the original files are."""
    header, *rows = text.splitlines()
    lines = [header.replace(" ", "\t") + "\t2"]
    for row in rows:
        tokens, at = row.split(), 1
        while at < len(tokens):
            able = int(tokens[at])
            for pair in range(at + 1, at + 1 + 2 * able, 2):
                tokens[pair] = str(int(tokens[pair]) + 1)
            at += 1 + 2 * able
        lines.append("\t".join(tokens) + " ")
    return "\r\n".join(lines) + "\r\n\r\n"
