"""Writing figures to files: whole or not at all, and the same bytes for the same figure."""

from __future__ import annotations

import io
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

from mated.errors import MatedError
from mated.io.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "check_formats", "save", "save_axes"]

FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None}, "dpi": 200},
    "pdf": {"metadata": {"CreationDate": None}, "dpi": 200},
    "png": {"dpi": 200},
}
"""The file formats and what each is written with; no dates, so that nothing but the figure changes a file."""

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mated",
    "pdf.fonttype": 42,
    "savefig.transparent": False,
    "savefig.bbox": None,
}


def save(figure: Figure, directory: str | Path, name: str, formats: Iterable[str] = ("svg",)) -> list[Path]:
    """Write a figure as `name`.svg, .pdf or .png into a directory, which is made where missing.

    Each file is completed under another name in the same directory and then renamed, so a file of the final name
    is never half written. Text in SVG files stays text; PNG files, and clouds of many points in the others, have
    200 dots per inch.

    Returns
    -------
    list of Path
        The files, in the order of `formats`.
    """
    wanted = [formats] if isinstance(formats, str) else list(formats)
    check_formats(wanted)
    if not name or Path(name).name != name:
        raise MatedError(f"{name!r} is not the name of a file; give it without folders")
    folder = Path(directory)
    return [_write(folder / f"{name}.{asked}", _rendered(figure, asked)) for asked in wanted]


def save_axes(axes: Axes, directory: str | Path, name: str, formats: Iterable[str] = ("svg",)) -> list[Path]:
    """Write the figure that holds these axes."""
    canvas = axes.get_figure(root=True)
    assert canvas is not None
    return save(canvas, directory, name, formats=formats)


def check_formats(formats: Sequence[str]) -> None:
    """Refuse file formats that figures cannot be saved in, and none at all."""
    if not formats:
        raise MatedError(f"no file format is given for the figures; the formats are {', '.join(FORMATS)}")
    for asked in formats:
        if asked not in FORMATS:
            raise MatedError(f"figures cannot be saved as {asked!r}; the formats are {', '.join(FORMATS)}")


def _rendered(figure: Figure, asked: str) -> bytes:
    buffer = io.BytesIO()
    # Axes of a user's own may have a legend beside them and no layout that makes room for it.
    crop: dict[str, Any] = {"bbox_inches": "tight"} if figure.get_layout_engine() is None else {}
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings(), _unmoved(figure):
        if asked == "svg":
            # The viewer's fonts draw an SVG file; what our font lacks does not matter there.
            warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(buffer, format=asked, **FORMATS[asked], **crop)
    return buffer.getvalue()


@contextmanager
def _unmoved(figure: Figure) -> Iterator[None]:
    """Put the axes back where they were, so that the next file does not depend on this one's layout."""
    places = [(ax, ax.get_in_layout(), ax.get_position(original=True), ax.get_position()) for ax in figure.axes]
    try:
        yield
    finally:
        for ax, in_layout, original, active in places:
            ax.set_position(original, which="original")
            ax.set_position(active, which="active")
            ax.set_in_layout(in_layout)


def _write(target: Path, content: bytes) -> Path:
    with replacing(target) as unfinished:
        unfinished.write_bytes(content)
    return target
