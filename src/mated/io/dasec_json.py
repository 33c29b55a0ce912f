"""The JSON of the dasec scripts for quality assessment: mated scores by pair of samples, and qualities by algorithm.

    {"similarity_scores": {"type": "mated", "scores_by_pair_ids": {"A-B": 0.7, …}},
     "quality_scores_by_sample_id_per_algorithm": {"algorithm": {"A": 0.3, …}, …}}

A pair is named by its two samples with a hyphen between them. Sample ids may have hyphens themselves: a name is split
where both halves are known samples.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["dasec_qualities", "is_json", "read_dasec"]

_SCORES, _PAIRS = "similarity_scores", "scores_by_pair_ids"
_QUALITIES = "quality_scores_by_sample_id_per_algorithm"
_CLASSES = {"mated": True, "nonmated": False, "non-mated": False}


def is_json(file: InputFile) -> bool:
    """Say whether a file is JSON, by its ending or its first sign."""
    return file.ending == ".json" or file.head.lstrip().startswith(b"{")


def read_dasec(request: Request) -> Comparisons:
    """Read the comparison scores; all are of one class."""
    request.refuse_columns("JSON")
    request.refuse_ids("JSON")
    content = _load(request.file)
    block = content.get(_SCORES)
    if not (isinstance(block, dict) and isinstance(block.get(_PAIRS), dict)):
        raise MatedError(f"{request.name} is JSON without {_SCORES}.{_PAIRS}; it holds no comparison scores")
    if block.get("type") not in _CLASSES:
        raise MatedError(
            f"{request.name}: {_SCORES}.type says whether the comparisons are mated, and it is {block.get('type')!r}; "
            "write 'mated' or 'nonmated'"
        )
    scores = block[_PAIRS]
    if not scores:
        raise MatedError(f"{request.name} has no comparison scores")
    of_algorithms = content.get(_QUALITIES)
    known = _samples(of_algorithms) if isinstance(of_algorithms, dict) else set()
    sides = [_split(pair, known, request.file) for pair in scores]
    for pair, score in scores.items():
        if not _is_number(score):
            raise MatedError(f"{_place(request.file, pair)}: the score {score!r} is not a number; correct it")
    try:
        return Comparisons.from_arrays(
            [float(score) for score in scores.values()],
            [_CLASSES[block["type"]]] * len(scores),
            probe_sample=[probe for probe, _ in sides],
            reference_sample=[reference for _, reference in sides],
            dissimilarity=bool(request.dissimilarity),
            unit=request.unit,
            nan=request.nan,
        )
    except MatedError as error:
        raise MatedError(f"{request.name}: {error}") from None


def dasec_qualities(file: InputFile) -> dict[str, dict[str, float]]:
    """Read for each algorithm the quality of each sample."""
    of_algorithms = _load(file).get(_QUALITIES)
    if not (isinstance(of_algorithms, dict) and all(isinstance(part, dict) for part in of_algorithms.values())):
        raise MatedError(f"{file.name} is JSON without {_QUALITIES}; it holds no qualities")
    if not of_algorithms:
        raise MatedError(f"{file.name} names no quality algorithm")
    for algorithm, qualities in of_algorithms.items():
        for sample, quality in qualities.items():
            if not _is_number(quality) or quality != quality:
                what = "is NaN" if isinstance(quality, float) else f"{quality!r} is not a number"
                raise MatedError(
                    f"{_place(file, sample, after=algorithm)}: the quality {what} (algorithm {algorithm!r}); "
                    "leave it out, or correct it"
                )
    return of_algorithms


def _load(file: InputFile) -> dict[str, Any]:
    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise MatedError(f"{file.name}: {twice!r} stands twice in one object; name everything once")
        return found

    try:
        content = json.loads(file.contents, object_pairs_hook=each_once)
    except UnicodeDecodeError:
        raise MatedError(f"{file.name} is not UTF-8 text; save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise MatedError(f"{file.name}, line {error.lineno}: this is not JSON ({error.msg}); correct it") from None
    if not isinstance(content, dict):
        raise MatedError(f"{file.name} is JSON without {_SCORES} and {_QUALITIES}; it cannot be read")
    return content


def _samples(of_algorithms: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    for qualities in of_algorithms.values():
        if isinstance(qualities, dict):
            found.update(qualities)
    return found


def _split(pair: str, known: set[str], file: InputFile) -> tuple[str, str]:
    """Divide the name of a pair at the hyphen that has a known sample on both sides."""
    probe, hyphen, reference = pair.partition("-")
    if hyphen and "-" not in reference:
        return probe, reference
    halves = [(pair[:i], pair[i + 1 :]) for i, sign in enumerate(pair) if sign == "-"]
    fitting = [(a, b) for a, b in halves if a in known and b in known]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        what = f"can be divided into two known samples in {len(fitting)} ways; use ids without hyphens"
    elif halves:
        what = "has no hyphen between two samples with a quality; give both one, or ids without hyphens"
    else:
        what = "has no hyphen; a pair is named by two samples with a hyphen between them"
    raise MatedError(f"{_place(file, pair)}: the name of the pair {what}")


def _place(file: InputFile, key: str, *, after: str | None = None) -> str:
    """Say on which line a key stands (the first one after another key); keys name people and are not shown."""
    text = file.contents.decode()
    start = 0 if after is None else max(_find(text, after, 0), 0)
    found = _find(text, key, start)
    return file.name if found < 0 else f"{file.name}, line {text.count(chr(10), 0, found) + 1}"


def _find(text: str, key: str, start: int) -> int:
    return max(text.find(json.dumps(key, ensure_ascii=escaped), start) for escaped in (True, False))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
