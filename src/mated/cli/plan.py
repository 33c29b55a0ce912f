"""`mated plan`: how large a test must be to show a claim, and what a test of given size can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mated.cli.console import output, print_json, working
from mated.cli.reading import Reading, check_choice, with_reading_options

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from mated.evaluation.plan import GivenTest, NeededTest, Pilot
    from mated.uncertainty.planning import Shown

__all__ = ["plan"]

_CLAIM, _TEST, _OUTPUT = "What is to be shown", "How the test is made", "What to leave behind"


@with_reading_options
def plan(
    reading: Reading,
    fmr: Annotated[float | None, typer.Option(metavar="X", help="Show that FMR ≤ X.", rich_help_panel=_CLAIM)] = None,
    fnmr: Annotated[float | None, typer.Option(metavar="Y", help="Show that FNMR ≤ Y.", rich_help_panel=_CLAIM)] = None,
    expected_fmr: Annotated[
        float | None,
        typer.Option(metavar="X", help="The FMR expected; default: half of --fmr.", rich_help_panel=_CLAIM),
    ] = None,
    expected_fnmr: Annotated[
        float | None,
        typer.Option(metavar="Y", help="The FNMR expected; default: half of --fnmr.", rich_help_panel=_CLAIM),
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="One-sided confidence of what is shown.", rich_help_panel=_CLAIM)
    ] = 0.95,
    power: Annotated[
        float, typer.Option(help="Probability of showing it if the expected rate is true.", rich_help_panel=_CLAIM)
    ] = 0.8,
    subjects: Annotated[
        int | None,
        typer.Option(metavar="S", help="Ask what a test of so many subjects can show.", rich_help_panel=_TEST),
    ] = None,
    samples: Annotated[int, typer.Option(metavar="M", help="Samples of each subject.", rich_help_panel=_TEST)] = 2,
    design: Annotated[
        str,
        typer.Option(
            metavar="all-pairs|one-pair",
            help="Compare all samples, or one pair for each subject and pair of subjects.",
            rich_help_panel=_TEST,
        ),
    ] = "all-pairs",
    pilot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Earlier comparisons with subjects, to allow for what comparisons share.",
            rich_help_panel=_TEST,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of tables.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Plan a test: how many subjects show that an error rate is low, or what a given test can show.

    Give a claim (--fmr, --fnmr or both) to learn how large a test must be, or --subjects to learn what a test of that
    size can show.
    """
    from mated.evaluation.plan import NeededTest
    from mated.evaluation.plan import plan as plan_test
    from mated.evaluation.verify import bare_name, verify

    check_choice(design, "--design", ("all-pairs", "one-pair"))
    asked: dict[str, Any] = {
        "fmr": fmr,
        "fnmr": fnmr,
        "expected_fmr": expected_fmr,
        "expected_fnmr": expected_fnmr,
        "confidence": confidence,
        "power": power,
        "subjects": subjects,
        "samples": samples,
        "design": design,
        "pilot": None if pilot is None else verify(reading.read(pilot), name=bare_name(pilot)),
    }
    with working("Planning ..."):
        result: NeededTest | GivenTest = plan_test(**asked)
    if json:
        print_json(result.to_dict())
        return
    tables = _needed(result) if isinstance(result, NeededTest) else [_given(result)]
    _print(output(), result, tables)


def _print(console: Console, result: NeededTest | GivenTest, tables: list[Table]) -> None:
    from rich.text import Text

    console.print(Text(result.sentence, style="bold"))
    for table in tables:
        console.print(table)
    lines = [f"! {caution}" for caution in result.cautions]
    if result.pilot is not None:
        lines.append(f"  {_about(result.pilot)}")
    lines.append("  the threshold is taken to be set before the test")
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def _needed(result: NeededTest) -> list[Table]:
    from mated.evaluation.plan import RULES

    plans = (
        {"independent": result.plan}
        if result.independent is None
        else {
            "independent": result.independent,
            "as in the pilot": result.plan,
        }
    )
    tables = []
    for rate, wanted in result.rates.items():
        title = f"{rate.upper()} ≤ {wanted.claim:g}, expected {wanted.expected:g}"
        table = _table(title, ("Comparisons", "Rule"), "Number", "Errors allowed", "Power", "Design effect", "Subjects")
        for taken, plan in plans.items():
            part = plan.fmr if rate == "fmr" else plan.fnmr
            for rule, label in RULES.items():
                need = getattr(part, rule)
                allowed = None if need.errors_allowed is None else int(need.errors_allowed * need.design_effect)
                table.add_row(
                    taken,
                    label,
                    _count(need.comparisons_dependent),
                    _allowed(allowed),
                    _power(need.power),
                    f"{need.design_effect:.3g}",
                    _count(need.subjects),
                )
            table.add_section()
        tables.append(table)
    return tables


def _given(result: GivenTest) -> Table:
    s = result.shown
    title = f"What {_count(s.subjects)} subjects can show with {_percent(s.confidence)} confidence"
    columns = ("Number", "Design effect", "Worth", "No errors", "30 errors", "Worst case, no errors")
    table = _table(title, ("Comparisons", "Rate"), *columns)

    def rows(shown: Shown, taken: str) -> None:
        for rate, part in (("FMR", shown.fmr), ("FNMR", shown.fnmr)):
            if part is None:
                continue
            table.add_row(
                taken,
                rate,
                _count(part.comparisons),
                f"{part.design_effect:.3g}",
                _count(round(part.effective)),
                f"≤ {part.zero_errors:.3g}",
                "–" if part.thirty_errors is None else f"≤ {part.thirty_errors:.3g}",
                f"≤ {part.zero_errors_worst_case:.3g}",
            )
        table.add_section()

    rows(s if result.independent is None else result.independent, "independent")
    if result.independent is not None:
        rows(s, "as in the pilot")
    return table


def _about(pilot: Pilot) -> str:
    samples = "" if pilot.samples is None else f" with {pilot.samples:.3g} samples each"
    said = [f"pilot {pilot.name}: {_count(pilot.subjects)} subjects{samples}"]
    if pilot.correlation_mated is not None:
        said.append(
            f"correlation of a subject's false non-matches {_correlation(pilot.correlation_mated)}"
            f"{_plus_minus(pilot.correlation_mated_se)} (design effect {pilot.design_effect_mated:.3g}, "
            f"{_count(pilot.errors_mated)} errors)"
        )
    if pilot.correlation_nonmated is not None:
        said.append(
            f"of false matches that share a subject {_correlation(pilot.correlation_nonmated)}"
            f"{_plus_minus(pilot.correlation_nonmated_se)} (design effect {pilot.design_effect_nonmated:.3g}, "
            f"{_count(pilot.errors_nonmated)} errors)"
        )
    return "; ".join(said)


def _correlation(value: float) -> str:
    return f"{value:.2g}"


def _plus_minus(se: float | None) -> str:
    return "" if se is None else f" ± {se:.1g}"


def _table(title: str, labels: tuple[str, ...], *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", header_style="", box=box.SIMPLE_HEAD)
    for label in labels:
        table.add_column(label, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", overflow="fold")
    return table


def _allowed(errors: int | None) -> str:
    return "none shows it" if errors is None else _count(errors)


def _power(power: float) -> str:
    return ">\u00a099.9\u00a0%" if power > 0.999 else _percent(power)


def _percent(rate: float) -> str:
    return f"{100 * rate:.3g}\u00a0%"


def _count(value: int) -> str:
    return f"{value:,}".replace(",", "\u202f")
