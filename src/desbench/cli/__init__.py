"""The command line: parse, call, print.

Each command is a module beside this one that imports what is heavy only when it runs, so that
`desbench --help` is immediate. Exit codes: 0 all runs scored, 1 some run is not a result (or a law
is broken), 2 wrong usage or input, 130 and 143 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from desbench import ENGINE_MISSING
from desbench.errors import DesbenchError, LawBroken

#: Command -> module and function; this order is the order of the help.
COMMANDS = {
    "run": "run:run",
    "list": "catalog:list_names",
    "show": "catalog:show",
    "check": "checking:check",
    "import": "importing:import_command",
    "verify": "checks:verify",
    "measure": "checks:measure",
    "replay": "replaying:replay_command",
    "bound": "replaying:bound_command",
    "study": "studying:study_command",
}


class Desbench(click.Group):
    """The group: finds its commands late and turns errors into one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(
            importlib.import_module(f"desbench.cli.{module}"), function
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command or name the nearest one."""
        from difflib import get_close_matches

        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f", did you mean {near[0]!r}?" if near else ""
            known = ", ".join(COMMANDS)
            raise click.UsageError(f"no command {args[0]!r}{hint} (commands: {known})") from None

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run a command and exit with its code."""
        _write_anything()
        arguments = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in arguments
        extra["standalone_mode"] = False
        try:
            result = super().main(arguments, *rest, **extra)
            code = result if isinstance(result, int) else 0
        except BaseException as error:
            if debug and not isinstance(error, (SystemExit, click.exceptions.Exit)):
                traceback.print_exc()
            code = _explain(error)
        sys.exit(_flushed(code))


def _explain(error: BaseException) -> int:
    """Say in one sentence what went wrong; the exit code."""
    match error:
        case SystemExit() | click.exceptions.Exit():
            code = error.code if isinstance(error, SystemExit) else error.exit_code
            return code if isinstance(code, int) else int(code is not None)
        case click.Abort() | KeyboardInterrupt():
            return _say("interrupted", 130)
        case click.UsageError():
            name = error.ctx.command_path if error.ctx else "desbench"
            return _say(f"{error.format_message().rstrip('.')}; see `{name} --help`", 2)
        case click.ClickException():
            return _say(error.format_message(), 2)
        case LawBroken():
            return _say(str(error), 1)
        case DesbenchError():
            return _say(str(error), 2)
        case ModuleNotFoundError() if (error.name or "").startswith("desbench._engine"):
            return _say(ENGINE_MISSING, 2)
        case BrokenPipeError():
            return 0
        case OSError():
            return _say(f"{error.filename or 'output'}: {error.strerror or error}", 1)
        case _:
            text = f"unexpected {type(error).__name__}: {error}; --debug shows where"
            return _say(text, 1)


def _say(sentence: str, code: int) -> int:
    click.echo(f"Error: {sentence}", err=True)
    return code


def _write_anything() -> None:
    """Let names of any script pass through a console of any encoding."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """Write out what is left; a reader that went away (`| head`) is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _say(f"standard output: {error.strerror}", 1)
    return code


debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."
)


@click.group(cls=Desbench, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="desbench", message="desbench %(version)s")
@debug_option
def main() -> None:
    """Measure how agents should be organised.

    One simulated factory, one stream of events, one set of agents; only the coordination
    protocol changes.
    """
