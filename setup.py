"""The compiled engine: every `.pyx` of `desbench._engine`, and all Cython directives in one place.

`DESBENCH_DEBUG=1` builds the checked engine: bounds, overflow-prone divisions, None and
uninitialised views are tested, and C code sees the macro `DESBENCH_DEBUG`.
A performance hint of Cython (a hidden lock on the interpreter) fails the build.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ENGINE = Path("src/desbench/_engine")
DEBUG = os.environ.get("DESBENCH_DEBUG", "0") not in ("", "0")
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "nonecheck": DEBUG,
    "cdivision": not DEBUG,
    "overflowcheck": DEBUG,
    "embedsignature": True,
    "show_performance_hints": True,
}
# Without contraction a * b + c rounds twice on every processor: same numbers everywhere.
# -O3 puts the small functions of the .pxd files where they are called (perf/README.md).
UNIX_FLAGS = ["-O3", "-ffp-contract=off", "-Wno-unused-function"]
MSVC_FLAGS = ["/O2", "/fp:precise"]


class BuildEngine(build_ext):
    """build_ext with the flags of the compiler that is found, on all cores."""

    def finalize_options(self) -> None:
        """Compile as many files at once as there are cores, if not told how many."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self) -> None:
        """Compile all extensions."""
        flags = MSVC_FLAGS if self.compiler.compiler_type == "msvc" else UNIX_FLAGS
        for extension in self.extensions:
            extension.extra_compile_args = flags
        super().build_extensions()


def extensions() -> list[Extension]:
    macros = [("DESBENCH_DEBUG", "1")] if DEBUG else []
    return [
        Extension(f"desbench._engine.{source.stem}", [source.as_posix()], define_macros=macros)
        for source in sorted(ENGINE.glob("*.pyx"))
    ]


def translate(modules: list[Extension]) -> list[Extension]:
    """Cython to C, in a folder of its own per kind of build so that they never mix."""
    build_dir = Path("build/cython-debug" if DEBUG else "build/cython")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            translated = cythonize(
                modules, compiler_directives=DIRECTIVES, build_dir=str(build_dir), nthreads=0
            )
    finally:
        sys.stderr.write(printed.getvalue())
    hints = [line for line in printed.getvalue().splitlines() if "performance hint" in line]
    if hints and not DEBUG:
        for made in build_dir.rglob("*.c"):
            made.unlink()  # else the next build finds it up to date and passes
        raise SystemExit(
            "Cython gave performance hints, the engine must need no lock:\n" + "\n".join(hints)
        )
    return translated


SOURCES = extensions()
setup(ext_modules=translate(SOURCES) if SOURCES else [], cmdclass={"build_ext": BuildEngine})
