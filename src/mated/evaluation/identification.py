"""`Identification`: what a user holds after `mated.identify`, for one system searching one gallery."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.html import table_html
from mated.identification.cmc import Cmc, Ties, as_ranks, cmc, prior_weighted_cmc
from mated.identification.open_set import (
    OpenSetCurve,
    OpenSetPoint,
    UnmatedProbes,
    WatchList,
    open_set_at_threshold,
    open_set_curve,
    unmated_searches,
    watch_list,
)
from mated.scores.ranks import MATES_ALONE
from mated.uncertainty.cautions import joined
from mated.uncertainty.identification import (
    RateInterval,
    area_interval,
    cmc_intervals,
    fnir_interval,
    fpir_interval,
    mean_rank_interval,
)
from mated.uncertainty.open_set_bootstrap import FnirAtFpir, fnir_at_fpir

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from mated.scores.ranks import Ranks

__all__ = ["Identification", "SearchPoints"]

_TIES: tuple[Ties, ...] = ("optimistic", "expected", "pessimistic")
_USUAL_RANKS = (1, 5, 10, 20)


@dataclass(frozen=True)
class SearchPoints:
    """Where an identification is to be read off.

    Attributes
    ----------
    ranks
        Ranks of the CMC; None for 1, 5, 10 and 20 as far as the gallery goes.
    fpir
        False positive identification rates; None for the powers of ten that the open-set probes support.
    threshold
        Thresholds, in the user's scoring system.
    length
        Length of the candidate list for FNIR; None for no limit.
    """

    ranks: tuple[int, ...] | None = None
    fpir: tuple[float, ...] | None = None
    threshold: tuple[float, ...] = ()
    length: int | None = 1


@dataclass(frozen=True, eq=False, repr=False)
class Identification:
    """Ranks of mates and errors of open-set searches, with intervals over the people who searched.

    The gallery is held fixed: the intervals say what other probes of such people would give in this gallery.
    `to_dict()` is what `mated identify --json` prints.
    """

    ranks: Ranks
    name: str = "scores"
    points: SearchPoints = SearchPoints()
    ties: Ties = "expected"
    probes: UnmatedProbes = "open"
    level: float = 0.95
    replicates: int = 2000
    seed: int = 1

    def __post_init__(self) -> None:
        if self.ties not in _TIES:
            raise MatedError(f"ties must be 'expected', 'pessimistic' or 'optimistic', not {self.ties!r}")
        if self.ranks.mates_alone:
            raise MatedError(f"nothing can be identified: {MATES_ALONE}")
        if self.points.ranks is not None:
            as_ranks(list(self.points.ranks), self.ranks.gallery_size)
        if self.points.length is not None:
            as_ranks(self.points.length, self.ranks.gallery_size)
        if self.points.fpir or self.points.threshold:
            unmated_searches(self.ranks, self.probes)  # says what is missing

    # -- numbers ---------------------------------------------------------------------------------

    @cached_property
    def cmc(self) -> Cmc:
        """The cumulative match characteristic; call it with a rank to read it."""
        return self._by_ties[self.ties]

    def at_rank(self, rank: int) -> RateInterval:
        """Share of mated probes whose mate ranks so high or higher, with its interval."""
        if rank in self._at_ranks:
            return self._at_ranks[rank]
        return cmc_intervals(self.ranks, [rank], ties=self.ties, level=self.level)[0]

    def by_ties(self, rank: int) -> dict[Ties, float]:
        """The rate at a rank by each rule for ties."""
        return {rule: curve(rank) for rule, curve in self._by_ties.items()}

    def area(self) -> RateInterval:
        """Area under the CMC, with its interval."""
        return area_interval(self.ranks, ties=self.ties, level=self.level)

    def mean_rank(self) -> RateInterval:
        """Mean rank of the mates, with its interval."""
        return mean_rank_interval(self.ranks, ties=self.ties, level=self.level)

    def at_fpir(self, fpir: float) -> FnirAtFpir:
        """FNIR and threshold at a false positive identification rate, with intervals where they are asked for."""
        return self._at_fpir[fpir] if fpir in self._at_fpir else self._bootstrapped(fpir)

    def at_threshold(self, threshold: float) -> tuple[OpenSetPoint, RateInterval, RateInterval]:
        """Both errors at a threshold: the counts, then FPIR and FNIR with their intervals."""
        point = open_set_at_threshold(self.ranks, threshold, self.points.length, ties=self.ties, probes=self.probes)
        fpir = fpir_interval(self.ranks, threshold, probes=self.probes, level=self.level)
        fnir = fnir_interval(self.ranks, threshold, self.points.length, ties=self.ties, level=self.level)
        return point, fpir, fnir

    def watch_list(self, length: int, threshold: float | None = None) -> WatchList:
        """How a list of wanted people does with those on it and those not (Bolle et al. 2005, Eq. 8)."""
        return watch_list(self.ranks, length, threshold, ties=self.ties)

    def prior_weighted_cmc(self, unknown: float | None = None) -> Any:
        """The CMC times the share of probes that are enrolled (Bolle et al. 2005, section 5.3)."""
        return prior_weighted_cmc(self.ranks, unknown, ties=self.ties)

    @cached_property
    def open_set(self) -> OpenSetCurve:
        """FNIR against FPIR over all thresholds."""
        return open_set_curve(self.ranks, self.points.length, ties=self.ties, probes=self.probes)

    # -- what is read off ------------------------------------------------------------------------

    @property
    def ranks_asked(self) -> tuple[int, ...]:
        """The ranks at which the CMC is read off."""
        if self.points.ranks is not None:
            return self.points.ranks
        return tuple(rank for rank in _USUAL_RANKS if rank <= self.ranks.gallery_size)

    @property
    def fpir_targets(self) -> tuple[float, ...]:
        """The false positive identification rates at which FNIR is read off: at least one false positive each."""
        if self.points.fpir is not None:
            return self.points.fpir
        return tuple(f for f in (0.1, 0.01, 0.001, 0.0001) if f * self._unmated >= 1)

    @property
    def _unmated(self) -> int:
        return self.ranks.n_open if self.probes == "open" else self.ranks.n_mated

    def compute(self) -> None:
        """Compute now what is read off later: the intervals at the ranks and rates asked for."""
        _ = self._at_ranks, self._at_fpir

    @cached_property
    def _at_ranks(self) -> dict[int, RateInterval]:
        intervals = cmc_intervals(self.ranks, self.ranks_asked, ties=self.ties, level=self.level)
        return dict(zip(self.ranks_asked, intervals, strict=True))

    @cached_property
    def _by_ties(self) -> dict[Ties, Cmc]:
        return {rule: cmc(self.ranks, rule) for rule in _TIES}

    @cached_property
    def _at_fpir(self) -> dict[float, FnirAtFpir]:
        return {fpir: self._bootstrapped(fpir) for fpir in self.fpir_targets}

    def _bootstrapped(self, fpir: float) -> FnirAtFpir:
        return fnir_at_fpir(
            self.ranks,
            fpir,
            self.points.length,
            ties=self.ties,
            probes=self.probes,
            replicates=self.replicates,
            rng=self.seed,
            level=self.level,
        )

    @cached_property
    def ties_matter(self) -> bool:
        """Whether some mate ties with another identity, so that the three rules differ."""
        return bool(self.ranks.tied.any())

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What was decided about the input, and what was left out, in sentences."""
        r = self.ranks
        said = list(r.notes)
        if r.failed_mates:
            whose = "of 1 probe" if r.failed_mates == 1 else f"of {r.failed_mates} probes"
            said.append(f"{whose} every comparison with the mate failed; such a mate ranks last")
        if r.unsearched:
            who = "1 probe was" if r.unsearched == 1 else f"{r.unsearched} probes were"
            said.append(f"{who} never compared with an enrolled mate and not counted")
        if r.missing:
            what = "1 comparison" if r.missing == 1 else f"{r.missing} comparisons"
            said.append(f"{what} with other identities missing: whoever was not compared ranks below the mate")
        if self.probes == "mate removed":
            said.append(
                "false positives are those of mated probes searching without their mate, a gallery smaller by one"
            )
        return tuple(dict.fromkeys(said))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers and texts; the keys are documented in docs/reference/json.md."""
        r = self.ranks
        return {
            "name": self.name,
            "gallery_size": r.gallery_size,
            "probes": {
                "mated": r.n_mated,
                "open_set": r.n_open,
                "subjects": r.n_subjects,
                "failed_mates": r.failed_mates,
                "unsearched": r.unsearched,
                "missing": r.missing,
            },
            "ties": {"rule": self.ties, "probes": int((r.tied > 0).sum())},
            "cmc": [
                {
                    "rank": rank,
                    "rate": e.value,
                    **_interval(e),
                    "misidentified": e.errors,
                    **{f"rate_{rule}": rate for rule, rate in self.by_ties(rank).items() if self.ties_matter},
                }
                for rank, e in self._at_ranks.items()
            ],
            "rank_probabilities": [
                {"rank": rank, "probability": float(self.cmc.probabilities[rank - 1])} for rank in self.ranks_asked
            ],
            "area": {"value": self.cmc.area, **_interval(self.area())},
            "mean_rank": {"value": self.cmc.mean_rank, **_interval(self.mean_rank())},
            "open_set": [self._at_fpir_dict(fpir) for fpir in self.fpir_targets]
            + [self._at_threshold_dict(t) for t in self.points.threshold],
            "uncertainty": {
                "level": self.level,
                "replicates": self.replicates,
                "seed": self.seed,
                "gallery": "held fixed",
            },
            "notes": list(self.remarks),
        }

    def _at_fpir_dict(self, fpir: float) -> dict[str, Any]:
        e = self.at_fpir(fpir)
        return {
            **_point(e.point),
            "fpir_target": fpir,
            "fpir_low": None,
            "fpir_high": None,
            "fnir_se": e.se,
            "fnir_low": e.low,
            "fnir_high": e.high,
            "threshold_low": e.threshold_low,
            "threshold_high": e.threshold_high,
            "method": e.method,
            "caution": e.caution,
        }

    def _at_threshold_dict(self, threshold: float) -> dict[str, Any]:
        point, fpir, fnir = self.at_threshold(threshold)
        return {
            **_point(point),
            "fpir_target": None,
            "fpir_low": fpir.low,
            "fpir_high": fpir.high,
            "fnir_se": fnir.se,
            "fnir_low": fnir.low,
            "fnir_high": fnir.high,
            "threshold_low": None,
            "threshold_high": None,
            "method": fnir.method,
            "caution": joined(point.caution, fpir.caution, fnir.caution),
        }

    def to_frame(self) -> pl.DataFrame:
        """One row for each rank that is read off, as a Polars frame."""
        import polars as pl

        return pl.DataFrame([{"system": self.name, **row} for row in self.to_dict()["cmc"]])

    def plot(self, figure: Literal["cmc", "open-set"] = "cmc", *, ax: Axes | None = None) -> Axes:
        """Draw the CMC over a logarithmic rank, or FNIR against FPIR."""
        from mated.plots.identification import draw

        return draw({self.name: self}, figure, ax=ax)

    def __repr__(self) -> str:
        first = self.at_rank(1)
        return (
            f"Identification({self.name!r}: {self.ranks.n_mated} mated and {self.ranks.n_open} open-set probes, "
            f"gallery of {self.ranks.gallery_size}; rank-1 rate {first.value:.4g}, "
            f"{100 * self.level:g} % interval {first.low:.4g} to {first.high:.4g})"
        )

    def _repr_html_(self) -> str:
        return table_html(self.to_frame().drop("system"), caption=repr(self))


def _interval(e: RateInterval) -> dict[str, Any]:
    return {"se": e.se, "low": e.low, "high": e.high, "method": e.method, "caution": e.caution}


def _point(point: OpenSetPoint) -> dict[str, Any]:
    """Return the counts of an operating point, its caution left to the estimate."""
    fields = asdict(point)
    for left in ("target", "caution", "ties", "gallery_size"):
        fields.pop(left)
    return {**fields, "tpir": point.tpir}
