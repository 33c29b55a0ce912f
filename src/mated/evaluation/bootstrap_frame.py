"""The numbers of a bootstrap as a frame: one row a number, with its interval and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from mated.evaluation.bootstrap import Bootstrap
    from mated.evaluation.estimate import Estimate

__all__ = ["bootstrap_frame"]


def bootstrap_frame(b: Bootstrap) -> pl.DataFrame:
    """Return the equal error rate, the area, and the rates at every operating point, as a Polars frame."""
    import polars as pl

    v = b.verification
    eer = b.eer()
    rows = [_row("eer", eer.eer, eer.point.threshold), _row("auc", b.auc(), None)]
    for f, at in zip(v.fmr_targets, b.at_fmrs(v.fmr_targets), strict=True):
        rows.append(_row(f"fnmr at fmr {f:g}", at.fnmr, at.point.threshold))
    for t in v.points.tmr:
        found = b.at_tmr(t)
        rows.append(_row(f"fmr at tmr {t:g}", found.fmr, found.point.threshold))
    for t in v.points.threshold:
        both = b.at_threshold(t)
        rows += [_row(f"fmr at threshold {t:g}", both.fmr, t), _row(f"fnmr at threshold {t:g}", both.fnmr, t)]
    schema = {
        "statistic": pl.String,
        "value": pl.Float64,
        "se": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "threshold": pl.Float64,
        "errors": pl.Int64,
        "method": pl.String,
        "caution": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, strict=False)


def _row(statistic: str, e: Estimate, threshold: float | None) -> dict[str, Any]:
    named = {name: getattr(e, name) for name in ("value", "se", "low", "high", "errors", "method", "caution")}
    return {"statistic": statistic, "threshold": None if threshold is None else float(threshold), **named}
