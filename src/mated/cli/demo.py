"""`mated demo`: the main job on built-in synthetic people."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from mated.cli.console import output, progress_bar, working
from mated.io.atomic import write_text

__all__ = ["demo"]

_SUBJECTS, _SAMPLES, _SEED = 100, 5, 2008
_BETWEEN = (0.8,) * 6 + (0.9,) * 6
_HARDER = 1.25
_GALLERIES = (10, 30, 100, 300, 1000, 3000, 10**4, 10**5, 10**6)


def demo(
    directory: Annotated[str, typer.Argument(help="Folder for the scores, tables and pictures.")] = "demo",
) -> None:
    """Draw synthetic people, score them with two systems and evaluate both.

    Leaves two score files, a table and figures. Every value is drawn from the Gaussian identity model with a
    fixed seed, so everybody gets the same numbers.
    """
    from rich.console import Console

    from mated.cli.compare import print_comparison
    from mated.cli.identify import print_identifications
    from mated.cli.predict import print_predictions
    from mated.cli.tables import print_verifications
    from mated.evaluation import Verifications, compare, identify, predict, verify
    from mated.io.write import write_comparisons
    from mated.plots.identification import save_figures as save_searches
    from mated.plots.save import save_axes
    from mated.plots.verification import save_comparison, save_figures
    from mated.synthetic import GaussianIdentities

    folder = Path(directory)
    with working("Drawing synthetic people and scoring them ..."):
        rng = np.random.default_rng(_SEED)
        group = np.where(np.arange(_SUBJECTS) % 2 == 0, "A", "B")
        people = GaussianIdentities(_BETWEEN).draw(
            _SUBJECTS, _SAMPLES, rng=rng, noise=np.where(group == "B", _HARDER, 1.0)
        )
        systems = {
            "alpha": people.comparisons("llr", scale=100, decimals=0),
            "beta": people.comparisons("cosine", decimals=4),
        }
        for name, comparisons in systems.items():
            rows, columns = people.pairs()
            probe, reference = group[people.subject[rows]], group[people.subject[columns]]
            label = np.where(probe == reference, probe, "across")
            write_comparisons(comparisons, folder / f"{name}.csv", covariates={"group": label})
    with working("Counting and drawing ..."):
        members = Verifications({name: verify(folder / f"{name}.csv", name=name) for name in systems})
        by_group = members["alpha"].by("group")
        sure, sure_by_group = (m.bootstrap(rng=_SEED) for m in (members, by_group))
        difference = compare(*members.values(), names=list(members), rng=_SEED)
        figures = save_figures(members, folder, ("svg", "png"), individual=True, bootstraps=sure)
        figures += save_figures(by_group, folder / "groups", ("svg", "png"), bootstraps=sure_by_group)
        figures += save_comparison(difference, folder, ("svg", "png"))
        searches = {name: identify(folder / f"{name}.csv", name=name) for name in systems}
        figures += save_searches(searches, folder, ("svg", "png"))
    with progress_bar("Predicting larger galleries") as progress:
        larger = predict(members["alpha"], gallery=_GALLERIES, ranks=1, replicates=100, rng=_SEED, progress=progress)
        figures += save_axes(larger.plot(), folder, "gallery", ("svg", "png"))
    console = output()
    text = io.StringIO()
    page = Console(file=text, width=120, highlight=False)
    for target in (console, page):
        print_verifications(target, members, bootstraps=sure, individual=True)
        target.print("\nAre the two systems really different?\n", style="bold")
        print_comparison(target, difference)
        target.print("\nSystem alpha by group of the subjects:\n", style="bold")
        print_verifications(target, by_group, bootstraps=sure_by_group)
        target.print("\nIs the right person found among all hundred, and among more?\n", style="bold")
        print_identifications(target, searches)
        print_predictions(target, {"alpha": larger.only([100, 1000, 10**6])})
    write_text(folder / "tables.txt", text.getvalue())
    console.print()
    console.print(
        f"Scores    {folder / 'alpha.csv'}, {folder / 'beta.csv'} (synthetic people, seed {_SEED})", markup=False
    )
    console.print(f"Tables    {folder / 'tables.txt'}", markup=False)
    console.print(
        f"Pictures  {len(figures)} in {folder} and {folder / 'groups'}, e.g. {folder / 'det.png'}", markup=False
    )
    console.print(f"Try       mated verify {folder / 'alpha.csv'} --fmr 1e-2,1e-3 --plot figures", markup=False)
