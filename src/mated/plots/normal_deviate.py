"""The normal-deviate (probit) scale of DET plots: normal score distributions become straight lines.

A rate p stands at Φ⁻¹(p), the point below which a standard normal variable falls with probability p. Zero has
no place on such an axis, so the scale is told where to put it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.scale import ScaleBase
from matplotlib.ticker import Formatter, Locator, NullFormatter
from matplotlib.transforms import Transform
from scipy.special import ndtr, ndtri

from mated.plots.style import rate_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axis import Axis
    from numpy.typing import ArrayLike, NDArray

__all__ = ["NormalDeviateFormatter", "NormalDeviateLocator", "NormalDeviateScale", "deviate", "rate_at"]

_SMALLEST = 1e-300
_LARGEST = 1 - 2.0**-53


def deviate(rate: ArrayLike) -> NDArray[np.float64]:
    """Return Φ⁻¹(rate), finite also at 0 and 1."""
    result: NDArray[np.float64] = ndtri(np.clip(np.asarray(rate, dtype=np.float64), _SMALLEST, _LARGEST))
    return result


def rate_at(place: ArrayLike) -> NDArray[np.float64]:
    """Return Φ(place), the rate that stands at a place on the axis."""
    result: NDArray[np.float64] = ndtr(np.asarray(place, dtype=np.float64))
    return result


class _ToDeviates(Transform):
    input_dims = 1
    output_dims = 1
    is_separable = True
    has_inverse = True

    def __init__(self, zero_at: float) -> None:
        super().__init__()
        self.zero_at = zero_at

    def transform_non_affine(self, values: ArrayLike) -> NDArray[np.float64]:
        rates = np.asarray(values, dtype=np.float64)
        return np.where(rates <= 0, self.zero_at, deviate(rates))

    def inverted(self) -> Transform:
        return _ToRates(self.zero_at)


class _ToRates(Transform):
    input_dims = 1
    output_dims = 1
    is_separable = True
    has_inverse = True

    def __init__(self, zero_at: float) -> None:
        super().__init__()
        self.zero_at = zero_at

    def transform_non_affine(self, values: ArrayLike) -> NDArray[np.float64]:
        return rate_at(values)

    def inverted(self) -> Transform:
        return _ToDeviates(self.zero_at)


class NormalDeviateScale(ScaleBase):
    """A matplotlib scale for rates; give an instance to `set_xscale` or `set_yscale`.

    Parameters
    ----------
    zero_at
        The positive rate whose place on the axis a rate of zero takes. None where no zero is drawn: then zeros
        lie far outside.
    ticks_from
        The smallest rate to put a tick at, besides zero.
    """

    name = "normal-deviate"

    def __init__(self, zero_at: float | None = None, ticks_from: float = 0.0) -> None:
        super().__init__(None)
        self._shows_zero = zero_at is not None
        self._ticks_from = ticks_from
        self._transform = _ToDeviates(float(deviate(_SMALLEST if zero_at is None else zero_at)))

    def get_transform(self) -> Transform:
        """Return the transform from rates to normal deviates."""
        return self._transform

    def set_default_locators_and_formatters(self, axis: Axis) -> None:
        """Put ticks at round rates."""
        axis.set_major_locator(self._locator(minor=False))
        axis.set_major_formatter(NormalDeviateFormatter())
        axis.set_minor_locator(self._locator(minor=True))
        axis.set_minor_formatter(NullFormatter())

    def limit_range_for_scale(self, vmin: float, vmax: float, minpos: float) -> tuple[float, float]:
        """Keep the limits inside ]0, 1[."""
        lowest = minpos if np.isfinite(minpos) and 0 < minpos < 0.5 else 1e-6
        return (lowest if vmin <= 0 else vmin, 1 - lowest if vmax >= 1 else vmax)

    def _locator(self, *, minor: bool) -> NormalDeviateLocator:
        return NormalDeviateLocator(
            self._transform, shows_zero=self._shows_zero, ticks_from=self._ticks_from, minor=minor
        )


class NormalDeviateLocator(Locator):
    """Ticks at powers of ten, 5, 20, 40 % and their mirror images, as many as the axis has room for."""

    def __init__(
        self,
        transform: Transform | None = None,
        *,
        shows_zero: bool = False,
        ticks_from: float = 0.0,
        minor: bool = False,
    ) -> None:
        self._transform = NormalDeviateScale().get_transform() if transform is None else transform
        self._shows_zero = shows_zero
        self._ticks_from = ticks_from
        self._minor = minor

    def __call__(self) -> Sequence[float]:
        """Return the ticks of the axis as it is."""
        low, high = self.axis.get_view_interval() if self.axis is not None else (1e-6, 0.5)
        return self.tick_values(float(low), float(high))

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Return the ticks between two rates."""
        low, high = sorted((max(float(vmin), _SMALLEST), min(float(vmax), _LARGEST)))
        major = self._major(low, high)
        if not self._minor:
            return major
        return [rate for rate in self._inside(_minor_candidates(), low, high) if rate not in major]

    def nonsingular(self, v0: float, v1: float) -> tuple[float, float]:
        """Return usable limits for an axis without data or with a single rate."""
        low, high = min(v0, v1), max(v0, v1)
        if not (np.isfinite(low) and np.isfinite(high)) or high <= 0 or low >= 1:
            return 1e-3, 0.5
        low, high = max(low, _SMALLEST), min(high, _LARGEST)
        return (low / 2, (1 + high) / 2) if low >= high else (low, high)

    def _major(self, low: float, high: float) -> list[float]:
        room = self._smallest_share()
        ticks: list[float] = []
        for step in range(1, 13):
            ticks = self._clear_of_zero(self._inside(_major_candidates(step), low, high), low, high, room)
            if len(ticks) < 2 or np.diff(self._share(ticks, low, high)).min() >= room:
                break
        return [0.0, *ticks] if self._shows_zero else ticks

    def _inside(self, rates: list[float], low: float, high: float) -> list[float]:
        return [rate for rate in rates if max(low, self._ticks_from) <= rate <= high]

    def _clear_of_zero(self, ticks: list[float], low: float, high: float, room: float) -> list[float]:
        if not self._shows_zero:
            return ticks
        zero = self._share([0.0], low, high)[0]
        return [rate for rate in ticks if self._share([rate], low, high)[0] - zero >= 0.75 * room]

    def _share(self, rates: list[float], low: float, high: float) -> NDArray[np.float64]:
        first, last = self._transform.transform(np.array([low, high]))
        placed: NDArray[np.float64] = (self._transform.transform(np.array(rates)) - first) / (last - first)
        return placed

    def _smallest_share(self) -> float:
        """Return the share of the axis that a label needs."""
        space = getattr(self.axis, "get_tick_space", None)
        return 1.0 / max(int(space()) if space is not None else 9, 2)


class NormalDeviateFormatter(Formatter):
    """Rates from 0.1 % on as percentages, smaller ones as powers of ten."""

    def __call__(self, x: float, pos: Any = None) -> str:
        """Return the label of a tick."""
        if x <= 0:
            return "0"
        if x < 0.00099:
            return rate_label(x)
        return f"{float(f'{100 * x:.10g}'):g} %"


def _major_candidates(step: int) -> list[float]:
    """Return round rates, every `step`-th decade below 1 % and fewer percentages where there is less room."""
    decades = [float(f"1e-{k}") for k in range(2, 13) if (k - 2) % step == 0]
    lower_half = [*decades, 0.05, 0.2, 0.4] if step == 1 else [*decades, 0.1, 0.4] if step == 2 else [*decades, 0.2]
    return sorted(lower_half + [float(f"{1 - rate:.12f}") for rate in lower_half if rate >= 1e-4])


def _minor_candidates() -> list[float]:
    steps = [float(f"{m}e-{k}") for k in range(3, 13) for m in (1, 2, 5)]
    lower_half = [*steps, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
    return sorted(lower_half + [float(f"{1 - rate:.12f}") for rate in lower_half if 1e-4 <= rate < 0.5])
