"""How kernels are compiled: once, kept on disk, without holding the interpreter. Import it in kernel modules alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compiled"]

_Kernel = TypeVar("_Kernel", bound="Callable[..., Any]")


def compiled(kernel: _Kernel) -> _Kernel:
    """Compile a function with Numba when it is first called; to a reader and a type checker it stays what it is."""
    result: Any = numba.njit(cache=True, nogil=True)(kernel)
    return result  # type: ignore[no-any-return]
