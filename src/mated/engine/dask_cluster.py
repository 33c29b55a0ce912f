"""A pass over parts of the data on a Dask cluster.

Every part is counted by the worker that reads it, and results are merged as a tree, from worker to worker; one comes
back. The code that counts is the one that counts here. A part may hold pieces of a Dask collection: they are computed,
and the part is counted, on a worker that has them. What a lost worker had counted is counted again by another, which
Dask sees to.

Dask is imported when a runner is made; `pip install 'mated[dask]'` brings it.
"""

from __future__ import annotations

import io
import json
import logging
import pickle
import sys
from concurrent.futures import CancelledError
from contextlib import ExitStack
from functools import lru_cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar
from uuid import uuid4

from mated.engine.runner import nothing_to_count
from mated.errors import MatedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

__all__ = ["FAN_IN", "DaskRunner"]

FAN_IN = 8
"""Results that are merged at once."""

CONNECT_SECONDS = 5.0
"""How long a scheduler is waited for."""

WORKER_SECONDS = 60.0
"""How long the first worker of a scheduler given by its address is waited for."""

_BATCH = 256
_T = TypeVar("_T")
_P = TypeVar("_P")


class DaskRunner:
    """Counts on the workers of a Dask cluster; used as a context it closes what it opened.

    Parameters
    ----------
    cluster
        A `dask.distributed.Client`, which stays open, and whose workers may yet have to come; or the address of a
        scheduler such as "tcp://10.0.0.1:8786", or its scheduler file (.json), with workers; or None, for a cluster of
        processes on this machine, one a core.
    workers
        Processes of a cluster on this machine.
    """

    def __init__(self, cluster: Any = None, *, workers: int | None = None) -> None:
        distributed = _distributed()
        self._opened = ExitStack()
        if isinstance(cluster, distributed.Client):
            if cluster.asynchronous:
                raise MatedError("the Dask client is asynchronous; give one made with asynchronous=False")
            self.client = cluster
        elif cluster is None:
            here = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,  # what goes wrong is raised here, as one sentence
            )
            self._opened.enter_context(here)
            self.client = self._opened.enter_context(distributed.Client(here, set_as_default=False))
        elif isinstance(cluster, str):
            self.client = self._opened.enter_context(_connect(distributed, cluster))
            self._wait_for_a_worker(cluster)
        else:
            raise MatedError(f"a Dask cluster is a Client or the address of a scheduler, not {cluster!r}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and the cluster, those that were opened here."""
        self._opened.close()

    def _wait_for_a_worker(self, address: str) -> None:
        try:
            self.client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            self.close()
            raise MatedError(
                f"the Dask scheduler at {address} has no workers; start some with `dask worker {address}`"
            ) from None

    def map_reduce(
        self,
        parts: Sequence[_T],
        count: Callable[[_T], _P],
        *,
        merge: Callable[[_P, _P], _P],
        name_of: Callable[[_T], str],
        done: Callable[[Any], None] | None = None,
        brief: Callable[[_P], Any] | None = None,
    ) -> _P:
        """Count every part on some worker and merge what was found; see `Runner`."""
        if not parts:
            raise nothing_to_count()
        run = _Run(self.client, [name_of(part) for part in parts])
        try:
            found: _P = run.result(parts, (count, merge, brief), done)
        except BaseException as error:
            run.cancel()
            raise run.explained(error) from None
        return found


class _Run:
    """The tasks of one pass."""

    def __init__(self, client: Any, names: list[str]) -> None:
        self._client, self._names = client, names
        self._id = uuid4().hex
        self._futures: list[Any] = []

    def result(self, parts: Sequence[Any], functions: tuple[Any, ...], done: Callable[[Any], None] | None) -> Any:
        import dask

        # Arrays given from memory do travel through the scheduler, and a warning would not change that.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            # A task of its own, not scattered data: should its worker be lost, the scheduler makes it again.
            shared = self._map("functions", "_given", [_versions()], [_dump(functions)[0]])[0]
            counted = self._map("count", "_count", [shared] * len(parts), *zip(*self._dumped(parts), strict=True))
            merged = self._tree(shared, counted)
            if done is not None:
                whole = functions[2] is None
                self._tell(counted if whole else self._map("brief", "_brief", [shared] * len(parts), counted), done)
            return merged.result()

    def _dumped(self, parts: Sequence[Any]) -> list[tuple[bytes, list[Any]]]:
        """Return parts as bytes, with futures of the Dask collections within them; these are not computed here."""
        dumped = [_dump(part) for part in parts]
        futures = iter(self._client.compute([held for _, collections in dumped for held in collections]))
        return [(data, [next(futures) for _ in collections]) for data, collections in dumped]

    def _tree(self, shared: Any, level: list[Any]) -> Any:
        """Merge neighbours, up to `FAN_IN` at once, until one is left."""
        while len(level) > 1:
            groups = [level[begin : begin + FAN_IN] for begin in range(0, len(level), FAN_IN)]
            level = self._map(f"merge{len(level)}", "_merge", [shared] * len(groups), groups)
        return level[0]

    def _map(self, what: str, function: str, *arguments: Sequence[Any]) -> list[Any]:
        keys = [f"mated-{what}-{self._id}-{number}" for number in range(len(arguments[0]))]
        futures = self._client.map(_by_name(function), *arguments, key=keys, batch_size=_BATCH)
        self._futures += futures
        return list(futures)

    def _tell(self, futures: list[Any], done: Callable[[Any], None]) -> None:
        for future in _distributed().as_completed(futures, loop=self._client.loop):
            if future.status != "finished":
                return  # what went wrong is the outcome of the whole
            done(future.result())

    def cancel(self) -> None:
        """Forget all tasks; those not begun never are."""
        if self._client.status == "running":
            self._client.cancel(self._futures)

    def explained(self, error: BaseException) -> BaseException:
        """Say in a sentence what went wrong with the cluster; any other error is returned as it is."""
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            number = str(error.task).rpartition("-")[2]
            name = self._names[int(number)] if str(error.task).startswith("mated-count-") else "the merged results"
            return MatedError(
                f"{name}: {error.allowed_failures + 1} Dask workers died one after another while counting it; give "
                "workers more memory, or make smaller parts"
            )
        if isinstance(error, CancelledError | CommClosedError | TimeoutError):
            said = f"{type(error).__name__}: {error}"
            return MatedError(f"the Dask scheduler was lost ({said}); there is no answer, so start again")
        if isinstance(error, ImportError):
            return MatedError(
                f"a Dask worker cannot run mated ({error}); install mated {_versions()[0]} on all of them"
            )
        return error


# -- what runs on workers --------------------------------------------------------------------------------


_Functions: TypeAlias = tuple[tuple[str, str], bytes]
# Versions here, and how to count, merge and tell as bytes: read only where both sides are found to agree.


def _by_name(name: str) -> Callable[..., Any]:
    """Return a function that a worker without mated can take in: it says what it lacks, and does not die of it."""

    def task(*arguments: Any) -> Any:
        from mated.engine import dask_cluster

        return getattr(dask_cluster, name)(*arguments)

    return task


def _given(versions: tuple[str, str], functions: bytes) -> _Functions:
    return versions, functions


def _count(functions: _Functions, data: bytes, held: Sequence[Any]) -> Any:
    count, *_ = _agreed(functions)
    return count(_load(data, held))


def _merge(functions: _Functions, found: list[Any]) -> Any:
    _, merge, _ = _agreed(functions)
    return reduce(merge, found)


def _brief(functions: _Functions, found: Any) -> Any:
    *_, brief = _agreed(functions)
    return brief(found)


@lru_cache(maxsize=1)
def _agreed(functions: _Functions) -> tuple[Any, ...]:
    """Read the functions, once for all tasks of a pass, where this is the same mated under the same Python."""
    versions, data = functions
    here, there = (f"mated {mated} under Python {python}" for mated, python in (_versions(), versions))
    if here != there:
        raise MatedError(f"the Dask worker at {_worker()} has {here}, and this is {there}; workers need the same")
    loaded: tuple[Any, ...] = _load(data)
    return loaded


def _load(data: bytes, held: Sequence[Any] = ()) -> Any:
    """Take back what `_dump` made."""
    try:
        return _Loader(io.BytesIO(data), held).load()
    except (ImportError, AttributeError) as error:
        raise MatedError(
            f"the Dask worker at {_worker()} cannot read its task ({error}); workers need the packages of this machine"
        ) from None


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)


class _Held:
    """A piece of a Dask collection that has been computed; to whoever asks for it, or for its columns, still one."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __getitem__(self, names: Any) -> _Held:
        return _Held(self._value[names])

    def compute(self, **_options: Any) -> Any:
        return self._value

    def result(self) -> Any:  # of what a client that is asked to compute it gives back
        return self._value


class _Loader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, held: Sequence[Any]) -> None:
        super().__init__(file)
        self._held = held

    def persistent_load(self, known: int | str) -> _Held | Path:
        if isinstance(known, int):
            return _Held(self._held[known])
        path = Path(known)
        if not path.exists():
            raise MatedError(
                f"the Dask worker at {_worker()} does not see {path}; put it where all workers see it under this name"
            )
        return path


# -- what runs here ----------------------------------------------------------------------------------------


def _dump(thing: Any) -> tuple[bytes, list[Any]]:
    """Return an object as bytes, functions within functions included, and apart the Dask collections it holds.

    Paths of files are made absolute, as workers may run in another folder.
    """
    import cloudpickle
    from dask.base import is_dask_collection

    held: list[Any] = []

    class Dumper(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, value: Any) -> int | str | None:
            if isinstance(value, Path):
                return str(value.absolute()) if value.exists() else None
            if not is_dask_collection(value):
                return None
            held.append(value)
            return len(held) - 1

    file = io.BytesIO()
    Dumper(file, protocol=pickle.HIGHEST_PROTOCOL).dump(thing)
    return file.getvalue(), held


def _versions() -> tuple[str, str]:
    """Return the versions on which both sides must agree: functions travel between them."""
    # The package is loaded, as this module is of it; importing it from below would be the wrong way round.
    return str(sys.modules["mated"].__version__), f"{sys.version_info.major}.{sys.version_info.minor}"


def _connect(distributed: Any, address: str) -> Any:
    scheduler = _in_file(address)
    try:
        scheme, place = distributed.comm.parse_address(scheduler)
        if scheme in ("tcp", "tls"):
            distributed.comm.parse_host_port(place)  # a client that fails over this leaves its trace behind
        return distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise MatedError(
            f"no Dask scheduler answers at {address} ({error}); start one with `dask scheduler`, or correct the address"
        ) from None


def _in_file(address: str) -> str:
    """Return the address that a scheduler file holds; any other is returned as it is."""
    if not address.endswith(".json"):
        return address
    try:
        return str(json.loads(Path(address).read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, KeyError, TypeError):
        raise MatedError(
            f"{address} holds no address of a scheduler; it is written by `dask scheduler --scheduler-file {address}`"
        ) from None


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MatedError("a cluster needs Dask; install it with: pip install 'mated[dask]'") from None
    return distributed
