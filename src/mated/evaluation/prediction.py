"""`Prediction`: what a user holds after `mated.predict`, for one system and one or several galleries."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mated.evaluation.html import table_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes

    from mated.identification.resolution import Resolution

__all__ = ["GalleryPrediction", "Method", "OpenSetPrediction", "Prediction"]

Method: TypeAlias = Literal[
    "auto", "hypergeometric", "step", "average", "individual", "tail", "global", "bolle", "narrow"
]
"""How a CMC is predicted from verification; docs/explanation/identification.md says when each is right."""


@dataclass(frozen=True)
class OpenSetPrediction:
    """Both errors of a search with a threshold, predicted for one gallery.

    Attributes
    ----------
    threshold
        In the user's scoring system.
    length
        Length of the candidate list; None for no limit.
    fpir_target
        The rate asked for, where the threshold was chosen by one; FPIR then has no interval of its own.
    method
        "empirical" from each probe's own scores, "tail" where these do not resolve the gallery.
    """

    threshold: int | float
    length: int | None
    fpir: float
    fnir: float
    fpir_target: float | None
    fpir_low: float | None
    fpir_high: float | None
    fnir_low: float | None
    fnir_high: float | None
    method: Literal["empirical", "tail"]
    caution: str | None


@dataclass(frozen=True)
class GalleryPrediction:
    """The CMC predicted for one gallery.

    Attributes
    ----------
    gallery_size, method
        Identities enrolled, the person searched for among them, and the method that was used.
    ranks, rate, se, low, high
        The CMC at some ranks; the last three are None where there are no replicates.
    beside
        What other methods predict at the same ranks.
    individual
        With the method "individual": quantiles of the rates over subjects.
    open_set
        Errors of searches with a threshold, where they were asked for.
    caution
        What the prediction rests on, in words.
    """

    gallery_size: int
    method: Method
    ranks: tuple[int, ...]
    rate: tuple[float, ...]
    se: tuple[float, ...] | None
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None
    beside: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    individual: Mapping[str, tuple[float, ...]] | None = None
    open_set: tuple[OpenSetPrediction, ...] = ()
    caution: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts."""
        nothing = (None,) * len(self.ranks)
        columns = zip(self.ranks, self.rate, self.se or nothing, self.low or nothing, self.high or nothing, strict=True)
        result: dict[str, Any] = {
            "gallery_size": self.gallery_size,
            "method": self.method,
            "cmc": [dict(zip(("rank", "rate", "se", "low", "high"), row, strict=True)) for row in columns],
            "beside": {name: list(rates) for name, rates in self.beside.items()},
        }
        if self.individual is not None:
            result["individual"] = {name: list(rates) for name, rates in self.individual.items()}
        return {**result, "open_set": [asdict(point) for point in self.open_set], "caution": self.caution}


@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """Predicted identification on galleries of several sizes, with intervals by resampling subjects.

    `to_dict()` is what `mated predict --json` prints.
    """

    name: str
    galleries: tuple[GalleryPrediction, ...]
    resolution: Resolution | None
    subjects: int | None
    level: float
    replicates: int
    seed: int
    remarks: tuple[str, ...] = ()

    def __getitem__(self, gallery_size: float) -> GalleryPrediction:
        """Return the prediction for one of the galleries asked for."""
        for made in self.galleries:
            if made.gallery_size == gallery_size:
                return made
        raise KeyError(gallery_size)

    def only(self, gallery_sizes: Iterable[int]) -> Prediction:
        """Keep some of the galleries."""
        wanted = set(gallery_sizes)
        return replace(self, galleries=tuple(g for g in self.galleries if g.gallery_size in wanted))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; a single gallery's numbers stand at the top too."""
        galleries = [made.to_dict() for made in self.galleries]
        resolved = self.resolution
        return {
            "name": self.name,
            **(galleries[0] if len(galleries) == 1 else {}),
            "galleries": galleries,
            "resolution": None
            if resolved is None
            else {
                "rivals": resolved.rivals,
                "scores": resolved.scores,
                "largest_gallery": resolved.largest_gallery,
            },
            "subjects": self.subjects,
            "uncertainty": {"level": self.level, "replicates": self.replicates, "seed": self.seed},
            "notes": list(self.remarks),
        }

    def to_frame(self) -> pl.DataFrame:
        """One row for each gallery and rank, as a Polars frame."""
        import polars as pl

        rows = [
            {"system": self.name, "gallery_size": g.gallery_size, "method": g.method, **entry}
            for g in self.galleries
            for entry in g.to_dict()["cmc"]
        ]
        numbers = {"rate": pl.Float64, "se": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(rows, schema_overrides=numbers)

    def plot(self, *, ax: Axes | None = None, measured: Sequence[tuple[float, float, float, float]] = ()) -> Axes:
        """Draw the rate of the lowest rank predicted against the size of the gallery, with its band.

        `measured` holds gallery size, rate and interval of what was measured, to be marked.
        """
        from mated.plots.identification import draw_prediction

        return draw_prediction(self, ax=ax, measured=measured)

    def __repr__(self) -> str:
        first = self.galleries[0].ranks[0]
        said = ", ".join(f"{g.rate[0]:.4g} of {g.gallery_size:,} ({g.method})" for g in self.galleries)
        return f"Prediction({self.name!r}: rank-{first} rate {said})"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame().drop("system"), caption=repr(self))
