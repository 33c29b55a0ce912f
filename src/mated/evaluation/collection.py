"""`Verifications`: several systems, or several groups of one system, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.html import table_html

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from mated.evaluation.bootstrap import Bootstrap
    from mated.evaluation.verification import Verification

__all__ = ["Verifications"]


@dataclass(frozen=True, eq=False, repr=False)
class Verifications(Mapping[str, "Verification"]):
    """A mapping from the name of a system or group to its verification."""

    members: Mapping[str, Verification]
    kind: Literal["systems", "groups"] = "systems"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", MappingProxyType(dict(self.members)))

    def __getitem__(self, name: str) -> Verification:
        return self.members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def to_dict(self) -> dict[str, Any]:
        """The dictionaries of all members, under "systems" or "groups"."""
        return {self.kind: {name: member.to_dict() for name, member in self.items()}, "notes": list(self.notes)}

    def bootstrap(self, replicates: int = 2000, **options: Any) -> dict[str, Bootstrap]:
        """Return every member with intervals; the options are those of `Verification.bootstrap`."""
        return {name: member.bootstrap(replicates, **options) for name, member in self.items()}

    def to_frame(self) -> pl.DataFrame:
        """The rows of all members in one Polars frame."""
        import polars as pl

        frames = [member.to_frame().with_columns(system=pl.lit(name)) for name, member in self.items()]
        return pl.concat(frames)

    def plot(self, figure: str = "roc", *, ax: Axes | None = None) -> Axes:
        """Draw one figure of all members: "roc", "roc-log", "det", "scores", "rates" or "individual".

        The last three show one system; of several they need `self[name].plot(...)`.
        """
        from mated.plots.verification import draw

        return draw(self, figure, ax=ax)

    def only(self) -> Verification:
        """Return the single member."""
        if len(self) != 1:
            raise MatedError(f"this holds {len(self)} {self.kind}; name one of: {', '.join(self)}")
        return next(iter(self.values()))

    def __repr__(self) -> str:
        return f"Verifications({len(self)} {self.kind}: {', '.join(self)})"

    def _repr_html_(self) -> str:
        return table_html(self.to_frame(), caption=repr(self))
