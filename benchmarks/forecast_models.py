"""Populations with a known truth in which forecasts are tried out: samples with scores, and the true CMC.

Each model draws `Searches` data (a score matrix with subjects) and computes the true rank-1 rate of a gallery of n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from mated.scores import ScoreMatrix
from mated.synthetic.identification_truth import mated_fmr, quadratic_form_cdf, rank_cdf
from mated.synthetic.identities import GaussianIdentities, log_likelihood_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["MODELS", "Model"]


class Model(Protocol):
    """A population: what is drawn from it, and what is true of it."""

    name: str

    def matrix(self, subjects: int, samples: int, seed: int) -> ScoreMatrix:
        """Score all samples of some people against each other."""

    def truth(self, sizes: Sequence[float], pairs: int, seed: int) -> Floats:
        """Return the rank-1 rate of each gallery size."""


def _matrix(scores: Floats, subjects: int, samples: int) -> ScoreMatrix:
    people, numbers = np.repeat(np.arange(subjects), samples), np.arange(subjects * samples)
    return ScoreMatrix.from_arrays(scores, people, people, probe_sample=numbers, reference_sample=numbers)


def _rank_one(fmr: Floats, sizes: Sequence[float]) -> Floats:
    return np.array([rank_cdf(fmr, size, 1).mean() for size in sizes])


@dataclass(frozen=True)
class Gaussian:
    """Gaussian identities, scored by the log-likelihood ratio or the cosine, captures of some varying more."""

    name: str
    between: tuple[float, ...]
    scorer: str = "llr"
    noise: tuple[float, ...] = (1.0,)

    def matrix(self, subjects: int, samples: int, seed: int) -> ScoreMatrix:
        rng = np.random.default_rng(seed)
        noise = np.array(self.noise)[rng.integers(len(self.noise), size=subjects)]
        drawn = GaussianIdentities(self.between).draw(subjects, samples, rng=rng, noise=noise)
        return drawn.matrix(self.scorer)

    def truth(self, sizes: Sequence[float], pairs: int, seed: int) -> Floats:
        rng, model = np.random.default_rng(seed), GaussianIdentities(self.between)
        noise = np.array(self.noise)[rng.integers(len(self.noise), size=pairs)]
        x = model.draw(pairs, 2, rng=rng, noise=noise).features
        return _rank_one(mated_fmr(model, x[0::2], x[1::2], scorer=self.scorer, noise=self.noise), sizes)


def _level(between: Floats, probe: Floats, mate: Floats) -> tuple[Floats, Floats]:
    """Return the weights of the quadratic form that falls as the log-likelihood ratio rises, and its value."""
    q = between**2 / (2 * (1 - between**2))
    return q, ((mate - probe / between) ** 2) @ q


@dataclass(frozen=True)
class Groups:
    """A population of groups: a share of what tells people apart is common to a group."""

    name: str
    between: tuple[float, ...]
    groups: int = 20
    share: float = 0.5

    def _draw(self, subjects: int, samples: int, rng: np.random.Generator) -> Floats:
        v = np.array(self.between)
        group = rng.integers(self.groups, size=subjects)
        person = self._centres[group] + rng.standard_normal((subjects, len(v))) * np.sqrt(v * (1 - self.share))
        return person[:, None, :] + rng.standard_normal((subjects, samples, len(v))) * np.sqrt(1 - v)

    @property
    def _centres(self) -> Floats:
        """The groups are part of the population, the same in every draw."""
        v = np.array(self.between)
        return np.random.default_rng(99).standard_normal((self.groups, len(v))) * np.sqrt(v * self.share)

    def matrix(self, subjects: int, samples: int, seed: int) -> ScoreMatrix:
        x = self._draw(subjects, samples, np.random.default_rng(seed)).reshape(subjects * samples, -1)
        return _matrix(log_likelihood_ratio(x, x, self.between), subjects, samples)

    def truth(self, sizes: Sequence[float], pairs: int, seed: int) -> Floats:
        v = np.array(self.between)
        x = self._draw(pairs, 2, np.random.default_rng(seed))
        probe, mate = x[:, 0], x[:, 1]
        q, level = _level(v, probe, mate)
        within = 1 - v * self.share
        fmr = np.mean(
            [quadratic_form_cdf(q * within, (probe / v - c) / np.sqrt(within), level) for c in self._centres], axis=0
        )
        return _rank_one(fmr, sizes)


@dataclass(frozen=True)
class Relatives:
    """Each person has one relative, enrolled with it, whose features correlate with its own."""

    name: str
    between: tuple[float, ...]
    likeness: float = 0.8

    def _people(self, pairs: int, rng: np.random.Generator) -> Floats:
        v = np.array(self.between)
        first, second = rng.standard_normal((2, pairs, len(v)))
        second = self.likeness * first + np.sqrt(1 - self.likeness**2) * second
        return np.stack([first, second], axis=1) * np.sqrt(v)

    def matrix(self, subjects: int, samples: int, seed: int) -> ScoreMatrix:
        v, rng = np.array(self.between), np.random.default_rng(seed)
        person = self._people(subjects // 2, rng).reshape(subjects, 1, -1)
        x = (person + rng.standard_normal((subjects, samples, len(v))) * np.sqrt(1 - v)).reshape(subjects * samples, -1)
        return _matrix(log_likelihood_ratio(x, x, self.between), subjects, samples)

    def truth(self, sizes: Sequence[float], pairs: int, seed: int) -> Floats:
        v, rng = np.array(self.between), np.random.default_rng(seed)
        person = self._people(pairs, rng)[:, 0]
        probe, mate = (person + rng.standard_normal(person.shape) * np.sqrt(1 - v) for _ in range(2))
        stranger = mated_fmr(GaussianIdentities(self.between), probe, mate)
        q, level = _level(v, probe, mate)
        spread = (1 - self.likeness**2) * v + 1 - v
        relative = quadratic_form_cdf(q * spread, (probe / v - self.likeness * person) / np.sqrt(spread), level)
        return np.array([((1 - relative) * rank_cdf(stranger, size - 1, 1)).mean() for size in sizes])


@dataclass(frozen=True)
class Student:
    """Non-mated scores with Student's t law, its degrees of freedom differing between people."""

    name: str
    degrees: tuple[float, ...]
    distance: float = 6.0

    def _mated(self, person: Floats, first: Floats, second: Floats) -> Floats:
        """Return where mated scores lie among the non-mated ones, by person and by the two captures."""
        return self.distance * (1 + 0.35 * person + 0.25 * (first + second))

    def matrix(self, subjects: int, samples: int, seed: int) -> ScoreMatrix:
        rng = np.random.default_rng(seed)
        place, spread = rng.normal(0, 0.5, subjects), np.exp(rng.normal(0, 0.2, subjects))
        degrees = np.array(self.degrees)[rng.integers(len(self.degrees), size=subjects)]
        quality, capture = rng.standard_normal(subjects), rng.standard_normal(subjects * samples)
        owner = np.repeat(np.arange(subjects), samples)
        standard = rng.standard_t(degrees[owner][:, None], size=(len(owner), len(owner)))
        for person in range(subjects):
            own = slice(person * samples, (person + 1) * samples)
            standard[own, own] = self._mated(quality[person], capture[own, None], capture[None, own])
        return _matrix(place[owner][:, None] + spread[owner][:, None] * standard, subjects, samples)

    def truth(self, sizes: Sequence[float], pairs: int, seed: int) -> Floats:
        from scipy.special import stdtr

        rng = np.random.default_rng(seed)
        degrees = np.array(self.degrees)[rng.integers(len(self.degrees), size=pairs)]
        at = self._mated(*rng.standard_normal((3, pairs)))
        return _rank_one(stdtr(degrees, -at), sizes)


_TWELVE = tuple(np.linspace(0.6, 0.95, 12).tolist())

MODELS: tuple[Model, ...] = (
    Gaussian("Gaussian, 4 dimensions, LLR", (0.5, 0.8, 0.85, 0.9)),
    Gaussian("Gaussian, 12 dimensions, LLR", _TWELVE),
    Gaussian("Gaussian, 16 dimensions, LLR", tuple(np.linspace(0.7, 0.97, 16).tolist())),
    Gaussian("Gaussian, 64 dimensions, LLR", (0.5,) * 64),
    Gaussian("Gaussian, 12 dimensions, cosine", _TWELVE, "cosine"),
    Gaussian("12 dimensions, half the people with 1.5 × the noise", _TWELVE, noise=(1.0, 1.5)),
    Groups("12 dimensions, 20 groups of similar people", _TWELVE),
    Student("t scores, 10 degrees of freedom", (10.0,)),
    Student("t scores, 6 or 30 degrees of freedom", (6.0, 30.0)),
    Relatives("12 dimensions, everyone with a relative enrolled", _TWELVE),
)
"""The populations of the study."""
