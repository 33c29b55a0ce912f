"""What all figures share: colours, line styles, sizes, grid, and how rates are written on an axis.

Everything is set on the artists themselves, so a figure looks the same whatever a user's matplotlib settings are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mated.plots.text import draw_literally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = [
    "FRAME_COLOR",
    "LABEL_SIZE",
    "LINE_WIDTH",
    "MATED_COLOR",
    "NONMATED_COLOR",
    "PALETTE",
    "SMALL_SIZE",
    "add_note",
    "axes_or_new",
    "decade_at_or_below",
    "dress",
    "line_style",
    "log_rate_axis",
    "new_figure",
    "rate_label",
]

# The colours of Okabe and Ito (2008) without their yellow, which is too light for a line on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Five patterns against seven colours: 35 different lines, and neighbours differ in grey print too.
LINE_PATTERNS: tuple[Any, ...] = (
    "solid",
    (0, (5, 1.8)),
    (0, (1.2, 1.4)),
    (0, (6, 1.8, 1.2, 1.8)),
    (0, (10, 2.5)),
)
MATED_COLOR, NONMATED_COLOR = PALETTE[0], PALETTE[1]
FRAME_COLOR = "#444444"
GRID_COLOR = "#DDDDDD"

LINE_WIDTH = 1.6
LABEL_SIZE = 10.0
SMALL_SIZE = 8.5

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def new_figure(width: float = 6.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """Return a figure of this size in inches with one pair of axes; no window and no backend is involved."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    return figure, figure.add_subplot(facecolor="white")


def axes_or_new(ax: Axes | None, width: float = 6.0, height: float = 4.2) -> tuple[Axes, Figure | None]:
    """Return the axes to draw on, and the figure where it had to be made and may be resized."""
    if ax is not None:
        return ax, None
    figure, made = new_figure(width, height)
    return made, figure


def line_style(index: int) -> dict[str, Any]:
    """Return how the curve number `index` is drawn."""
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": LINE_PATTERNS[index % len(LINE_PATTERNS)],
        "linewidth": LINE_WIDTH,
        "solid_joinstyle": "round",
        "zorder": 3.0,
    }


def dress(ax: Axes, *, x_label: str, y_label: str) -> None:
    """Give axes their labels, ticks, frame and light grid."""
    ax.set_xlabel(x_label, fontsize=LABEL_SIZE, color="black")
    ax.set_ylabel(y_label, fontsize=LABEL_SIZE, color="black")
    ax.tick_params(which="both", direction="out", color=FRAME_COLOR, labelcolor="black", labelsize=SMALL_SIZE)
    ax.tick_params(which="major", length=3.5, width=0.8)
    ax.tick_params(which="minor", length=2.0, width=0.5)
    ax.grid(visible=True, which="major", color=GRID_COLOR, linewidth=0.6, linestyle="solid")
    ax.grid(visible=False, which="minor")
    ax.set_axisbelow(True)
    for spine in ax.spines.values():
        spine.set(color=FRAME_COLOR, linewidth=0.8)


def rate_label(rate: float) -> str:
    """Write a power of ten as 10⁻⁶, any other number in short."""
    exponent = np.log10(rate) if rate > 0 else 0.5
    if abs(exponent - round(exponent)) < 1e-9:
        return "1" if round(exponent) == 0 else f"10{str(round(exponent)).translate(_SUPERSCRIPTS)}"
    return f"{rate:.3g}"


def log_rate_axis(axis: Axis) -> None:
    """Put ticks at the powers of ten of a logarithmic axis of rates."""
    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda rate, _: rate_label(rate)))
    axis.set_minor_locator(LogLocator(base=10, subs=tuple(range(2, 10)), numticks=100))
    axis.set_minor_formatter(NullFormatter())


def decade_at_or_below(rate: float) -> float:
    """Return the largest power of ten that is not above a positive rate."""
    exponent = int(np.floor(np.log10(rate)))
    # The logarithm of a power of ten may fall to either side of its whole number.
    return float(f"1e{exponent + 1 if float(f'1e{exponent + 1}') <= rate else exponent}")


def add_note(ax: Axes, lines: list[str]) -> None:
    """Say below the axes what the picture does not show."""
    if not lines:
        return
    note = ax.annotate(
        "\n".join(lines),
        xy=(1.0, 0.0),
        xycoords="axes fraction",
        xytext=(0.0, -36.0),
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="top",
        fontsize=SMALL_SIZE - 1,
        color=FRAME_COLOR,
        annotation_clip=False,
    )
    draw_literally(note)
