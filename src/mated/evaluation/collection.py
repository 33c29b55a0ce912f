"""`Verifications`: several systems, or several groups of one system, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from mated.errors import MatedError
from mated.evaluation.html import table_html

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from mated.evaluation.bootstrap import Bootstrap
    from mated.evaluation.verification import Verification
    from mated.scores import Comparisons, Tally
    from mated.scores.unit import UnitChoice

__all__ = ["Verifications", "groups_in_memory", "groups_of", "refuse_one_class"]

_NAMED = 5  # groups that a message names


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


def groups_in_memory(whole: Verification, layout: Comparisons, columns: Sequence[str]) -> Verifications:
    """Evaluate each value of one or more covariates apart, from comparisons that are held."""
    members, left_out = {}, {}
    # One scoring system has one unit, whatever a group happens to show of it.
    unit: UnitChoice = "continuous" if whole.tally.unit is None else whole.tally.unit
    for label, part in layout.groups(*columns).items():
        part = replace(part, unit=unit)
        n_mated = int(part.mated.sum())
        if 0 < n_mated < len(part):
            members[label] = replace(whole, tally=part.tally(), name=label, layout=part, notes=())
        else:
            left_out[label] = n_mated, len(part) - n_mated
    return groups_of(whole.name, members, left_out, columns)


def groups_of(
    name: str, members: Mapping[str, Verification], left_out: Mapping[str, tuple[int, int]], columns: Sequence[str]
) -> Verifications:
    """Put groups together; those of one class only, given with their two counts, are named in the notes."""
    said = [f"{label!r} ({m} mated, {n} non-mated comparisons)" for label, (m, n) in left_out.items()]
    some = ", ".join(said[:_NAMED]) + (f" and {len(said) - _NAMED} more" if len(said) > _NAMED else "")
    if not members:
        raise MatedError(f"{name}: no value of {', '.join(columns)} has both mated and non-mated comparisons: {some}")
    notes = (f"left out, as one class is missing: {some}",) if said else ()
    return Verifications(members, kind="groups", notes=notes)


def refuse_one_class(name: str, tally: Tally, notes: Sequence[str], *, subjects: bool) -> None:
    """Refuse comparisons of one class only, with what was decided about them: there the mistake often is."""
    if tally.n_mated and tally.n_nonmated:
        return
    missing = "non-mated" if tally.n_mated else "mated"
    said = f"{name}: there is no {missing} comparison with a score; verification needs both"
    if subjects and missing == "mated" and not tally.mated_failures:
        said += "; no comparison has one subject on both sides, so check how subjects are named"
    raise MatedError(said + (f" ({'; '.join(notes)})" if notes else ""))
