"""The command `mated`: one sub-command a verb, and one place that turns errors into a sentence."""

from __future__ import annotations

import io
import signal
import sys

import typer

from mated import __version__
from mated.cli.compare import compare
from mated.cli.convert import convert
from mated.cli.demo import demo
from mated.cli.identify import identify
from mated.cli.init import init
from mated.cli.inspect import inspect
from mated.cli.plan import plan
from mated.cli.predict import predict
from mated.cli.quality import quality
from mated.cli.report import report
from mated.cli.reproduce import reproduce
from mated.cli.variability import variability
from mated.cli.verify import verify
from mated.errors import MatedError

__all__ = ["app", "run"]

app = typer.Typer(
    name="mated",
    help="Measure biometric recognition: error rates, curves and what the data can support.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("verify")(verify)
app.command("identify")(identify)
app.command("predict")(predict)
app.command("quality")(quality)
app.command("plan")(plan)
app.command("variability")(variability)
app.command("compare")(compare)
app.command("report")(report)
app.command("init")(init)
app.command("reproduce")(reproduce)
app.command("inspect")(inspect)
app.command("convert")(convert)
app.command("demo")(demo)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"mated {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    del version


def run() -> None:
    """Run the command line: status 0 done, 1 the input is bad, 2 the usage is wrong."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that cannot show a letter shows a question mark
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly when the reader of our output has gone
    try:
        app()
    except MatedError as error:
        typer.echo(f"mated: {error}", err=True)
        sys.exit(1)
