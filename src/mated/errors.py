"""What can go wrong because of the input, and how it is said.

Every error a user can cause is a `MatedError`: one sentence that names the place (file, line, column),
the offending value, what was expected and what to do. The command line prints it and exits with status 1.
"""

from __future__ import annotations

__all__ = ["MatedError", "ScoresNotKeptError"]


class MatedError(ValueError):
    """The input cannot be used as given; the message says where and what to do."""


class ScoresNotKeptError(MatedError):
    """Scores below a cut are needed that were counted and not kept; keep more of them."""
