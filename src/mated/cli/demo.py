"""`mated demo`: a whole study of built-in synthetic people, from scores to the page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mated.cli.console import output, stages, working
from mated.io.atomic import replacing, write_text

__all__ = ["demo"]

_SEED = 2008

_STUDY = """\
# A study of two synthetic systems. Make the page again with:  mated report study.toml
# Every key is explained in docs/how-to/report.md; `mated init` writes such a file for a folder of yours.

title = "Two synthetic face systems"
notes = "200 synthetic people, three captures each; captures of group B are noisier. Nobody was measured."
seed = 2008

[points]
fmr = [1e-2, 1e-3, 1e-4]

[[system]]
name = "alpha"
file = "alpha.csv"

[[system]]
name = "beta"
file = "beta.csv"

[groups]
probe = "probe_group"
reference = "reference_group"

[identify]
mate_removed = true    # everybody is enrolled, so false positives come from searches without the mate

[forecast]
gallery = [200, 1_000, 10_000, 100_000, 1_000_000]
ranks = [1]
replicates = 100

[quality]
files = "quality.csv"

[[claim]]
text = "fnmr <= 0.15 at fmr 1e-3"

[[claim]]
text = "eer <= 0.01"

[[claim]]
text = "rank1 >= 0.9 at gallery 1e6"
system = "alpha"
"""


def demo(
    directory: Annotated[str, typer.Argument(help="Folder for the scores, the study and the page.")] = "demo",
) -> None:
    """Draw synthetic people, score them with two systems and report on both.

    Leaves two score files, a file of qualities, a study and its page. Everything is drawn with a fixed seed, so
    everybody gets the same numbers.
    """
    from mated.cli.compare import print_comparison
    from mated.cli.tables import print_verifications
    from mated.evaluation import Verifications
    from mated.report.report import report

    folder = Path(directory)
    with working("Drawing synthetic people and scoring them ..."):
        _write_study(folder)
    with stages("Reading") as progress:
        made = report(folder / "study.toml", progress=progress, command="mated report study.toml")
    with working("Writing the page ..."):
        page = made.save(folder / "report.html")
    console, found = output(), made.findings
    members = Verifications({name: system.verification for name, system in found.systems.items()})
    print_verifications(
        console, members, bootstraps={n: s.bootstrap for n, s in found.systems.items() if s.bootstrap is not None}
    )
    if found.comparison is not None:
        console.print("\nAre the two systems really different?\n", style="bold")
        print_comparison(console, found.comparison)
    console.print("\nClaims\n", style="bold")
    for answer in found.claims:
        console.print(f"  {answer.system}: {answer.claim}\n    {answer.sentence}", markup=False, soft_wrap=True)
    console.print()
    files = ", ".join(str(folder / name) for name in ("alpha.csv", "beta.csv", "quality.csv"))
    console.print(f"Scores    {files} (synthetic people, seed {_SEED})", markup=False, soft_wrap=True)
    console.print(f"Study     {folder / 'study.toml'}", markup=False, soft_wrap=True)
    console.print(f"Try       mated verify {folder / 'alpha.csv'} --fmr 1e-2,1e-3 --plot figures", markup=False)
    console.print(f"Page      {page.resolve().as_uri()}", markup=False, soft_wrap=True, style="bold")


def _write_study(folder: Path) -> None:
    """Leave the scores of two systems, the qualities of all samples and the study that names them."""
    import polars as pl

    from mated.io.write import write_comparisons
    from mated.synthetic.study import draw_study

    study = draw_study(rng=_SEED)
    for name, comparisons in study.systems().items():
        write_comparisons(comparisons, folder / f"{name}.csv", covariates=study.pair_groups())
    qualities = pl.DataFrame({"sample": study.people.sample_names, **study.quality})
    with replacing(folder / "quality.csv") as temporary:
        qualities.write_csv(temporary)
    write_text(folder / "study.toml", _STUDY)
