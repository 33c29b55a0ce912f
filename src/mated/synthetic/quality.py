"""Synthetic qualities with a known ranking (Schlett et al. 2023, section VI-A).

Each sample has a hidden utility. The mated score of two samples is the lower of their utilities; the quality that an
algorithm gives is the utility with a uniform offset, and the smaller its scale, the better the algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mated.errors import MatedError
from mated.scores import Comparisons, PairIds
from mated.scores.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["VARIANT_1", "VARIANT_2", "SyntheticQualities", "draw_qualities"]

VARIANT_1 = (0.05, 0.10, 0.15, 0.20, 0.25)
"""Offset scales of their first variant, the best algorithm first."""

VARIANT_2 = (0.01, 0.02, 0.03, 0.04, 0.05)
"""Offset scales of their second variant."""


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticQualities:
    """Samples with hidden utilities and the qualities that several algorithms give them.

    Attributes
    ----------
    subjects, samples
        People, and samples of each; samples are ordered by person.
    utility
        Of each sample, in [−1, 1].
    quality
        For each algorithm the quality of each sample.
    scales
        The offset scale of each algorithm: lower is better, so this is the expected ranking.
    nonmated_pairs, nonmated_score
        Samples of different people and their scores, where they were asked for.
    """

    subjects: int
    samples: int
    utility: Floats
    quality: Mapping[str, Floats]
    scales: tuple[float, ...]
    nonmated_pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
    nonmated_score: Floats

    def __post_init__(self) -> None:
        for name in ("utility", "nonmated_score"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        object.__setattr__(self, "quality", MappingProxyType({k: read_only(v) for k, v in self.quality.items()}))

    @property
    def mated_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both samples of every mated comparison: all pairs of a person's samples."""
        first, second = np.triu_indices(self.samples, k=1)
        start = np.arange(self.subjects)[:, None] * self.samples
        return (start + first).ravel(), (start + second).ravel()

    @property
    def mated_score(self) -> Floats:
        """Score of every mated comparison: the lower utility of its two samples."""
        return _lower(self.utility, self.mated_pairs)

    def pair_quality(self, algorithm: str) -> Floats:
        """Return the pair quality (minimum) of every mated comparison by one algorithm."""
        return _lower(self.quality[algorithm], self.mated_pairs)

    @property
    def sample_names(self) -> tuple[str, ...]:
        """A name for each sample, in ascending order."""
        people, each = len(str(self.subjects)), len(str(self.samples))
        return tuple(
            f"p{person + 1:0{people}d}-{sample + 1:0{each}d}"
            for person in range(self.subjects)
            for sample in range(self.samples)
        )

    def comparisons(self) -> Comparisons:
        """Return the comparisons as a table with subjects and samples, mated ones first."""
        pairs = [np.concatenate(sides) for sides in zip(self.mated_pairs, self.nonmated_pairs, strict=True)]
        width = len(str(self.subjects))
        people = tuple(f"p{person + 1:0{width}d}" for person in range(self.subjects))
        subjects = PairIds(pairs[0] // self.samples, pairs[1] // self.samples, people)
        return Comparisons(
            np.concatenate([self.mated_score, self.nonmated_score]),
            subjects.same,
            subjects,
            PairIds(pairs[0], pairs[1], self.sample_names),
            unit="continuous",
        )

    def __repr__(self) -> str:
        return f"SyntheticQualities({self.subjects} subjects × {self.samples} samples, {len(self.quality)} algorithms)"


def draw_qualities(
    scales: tuple[float, ...] = VARIANT_1,
    *,
    subjects: int = 50_000,
    samples: int = 5,
    nonmated: int = 0,
    shape: tuple[float, float] = (1.0, 1.0),
    shared_offset: bool = False,
    rng: np.random.Generator | int | None = None,
) -> SyntheticQualities:
    """Draw utilities and qualities; with the defaults the 500,000 mated pairs of section VI.

    Parameters
    ----------
    scales
        The offset of algorithm k is uniform on [−scale, scale]. Algorithms are named as in the paper, "SQA1 (0.05)".
    nonmated
        Number of non-mated comparisons, of random samples of different people. The paper has none; here the score is
        −1 + V·(1 − m)/2 with V uniform on [0, 1] and m the lower utility, so that poor samples look alike.
    shape
        Utilities are Beta-distributed on [−1, 1] with this shape; (1, 1) is the paper's uniform distribution. Another
        one is another data set.
    shared_offset
        Whether the algorithms scale one and the same offset, or draw their own (default).
    """
    if subjects < 1 or samples < 2:
        raise MatedError(f"draw at least one subject and two samples of each, not {subjects} and {samples}")
    if not scales or any(scale < 0 for scale in scales):
        raise MatedError(f"offset scales must not be negative, and there must be one at least; {scales} are given")
    if nonmated and subjects < 2:
        raise MatedError("non-mated comparisons need two subjects or more")
    generator = np.random.default_rng(rng)
    size = subjects * samples
    utility = _utilities(generator, size, shape)
    offset = generator.uniform(-1, 1, size)
    quality = {}
    for number, scale in enumerate(scales):
        if number and not shared_offset:
            offset = generator.uniform(-1, 1, size)
        quality[f"SQA{number + 1} ({scale:.2f})"] = utility + scale * offset
    pairs = _different_people(generator, subjects, samples, nonmated)
    share = (1 - _lower(utility, pairs)) / 2
    return SyntheticQualities(
        subjects, samples, utility, quality, tuple(scales), pairs, -1 + generator.random(nonmated) * share
    )


def _utilities(generator: np.random.Generator, size: int, shape: tuple[float, float]) -> Floats:
    if min(shape) <= 0:
        raise MatedError(f"the shape of a Beta distribution is two positive numbers, not {shape}")
    if tuple(shape) == (1.0, 1.0):
        return generator.uniform(-1, 1, size)
    return 2 * generator.beta(*shape, size) - 1


def _different_people(
    generator: np.random.Generator, subjects: int, samples: int, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw pairs of samples of different people."""
    probe = generator.integers(subjects, size=count)
    reference = (probe + generator.integers(1, max(subjects, 2), size=count)) % subjects
    sides = (person * samples + generator.integers(samples, size=count) for person in (probe, reference))
    first, second = sides
    return first, second


def _lower(values: Floats, pairs: tuple[NDArray[Any], NDArray[Any]]) -> Floats:
    lower: Floats = np.minimum(values[pairs[0]], values[pairs[1]])
    return lower
