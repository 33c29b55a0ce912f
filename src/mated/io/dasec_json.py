"""The JSON of the dasec scripts for quality assessment: mated scores by pair of samples, and qualities by algorithm.

    {"similarity_scores": {"type": "mated", "scores_by_pair_ids": {"A-B": 0.7, …}},
     "quality_scores_by_sample_id_per_algorithm": {"algorithm": {"A": 0.3, …}, …}}

A pair is named by its two samples with a hyphen between them. Sample ids may have hyphens themselves: a name is split
where both halves are known samples.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from mated.errors import MatedError
from mated.io.bytes_in import check_wide_mark
from mated.io.exact_numbers import not_kept_because
from mated.io.quoting import in_short
from mated.scores import Comparisons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mated.io.bytes_in import InputFile
    from mated.io.request import Request

__all__ = ["dasec_qualities", "is_json", "read_dasec"]

_SCORES, _PAIRS = "similarity_scores", "scores_by_pair_ids"
_QUALITIES = "quality_scores_by_sample_id_per_algorithm"
_CLASSES = {"mated": True, "nonmated": False, "non-mated": False}
_LARGEST = 1 << 29
_MARKS = {"utf-16": "UTF-16", "utf-32": "UTF-32"}
_WORDS = {"nan": "is NaN", "inf": "is infinite", "-inf": "is infinite"}
_MOST_DIGITS, _MOST_HYPHENS = 300, 1000
_EXACT_INTEGER = 1 << 53
_HALF_SIGN = re.compile("[\ud800-\udfff]")
_TOKENS = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}]')


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
    said = block.get("type")
    if not isinstance(said, str) or said not in _CLASSES:
        raise MatedError(
            f"{request.name}: {_SCORES}.type says whether the comparisons are mated, and it is {in_short(said)}; "
            "write 'mated' or 'nonmated'"
        )
    scores = block[_PAIRS]
    if not scores:
        raise MatedError(f"{request.name} has no comparison scores")
    of_algorithms = content.get(_QUALITIES)
    known = _samples(of_algorithms) if isinstance(of_algorithms, dict) else set()
    sides = [_split(pair, known, request.file) for pair in scores]
    missing = [pair for pair, score in scores.items() if score != score]
    if missing and request.nan == "refuse":
        others = "" if len(missing) == 1 else f" ({len(missing)} such scores)"
        raise MatedError(
            f"{_place(request.file, missing[0])}: the score is NaN{others}; remove such comparisons, or count them as "
            "failures to acquire with nan='failure' (--nan failure)"
        )
    for pair, score in scores.items():
        if not _is_number(score):
            raise MatedError(f"{_place(request.file, pair)}: the score {in_short(score)} is not a number; correct it")
        if math.isinf(score) or (isinstance(score, int) and abs(score) > _EXACT_INTEGER):
            raise MatedError(f"{_place(request.file, pair)}: the score {not_kept_because(score)}")
    try:
        return Comparisons.from_arrays(
            [float(score) for score in scores.values()],
            [_CLASSES[said]] * len(scores),
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
            if not _is_number(quality) or not math.isfinite(quality):
                what = _WORDS[str(quality)] if isinstance(quality, float) else f"{in_short(quality)} is not a number"
                raise MatedError(
                    f"{_place(file, sample, after=algorithm)}: the quality {what} (algorithm {algorithm!r}); "
                    "leave it out, or correct it"
                )
    return of_algorithms


def _load(file: InputFile) -> dict[str, Any]:
    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise MatedError(
                f"{file.name}, line {_line_of_repeated(text)}: a name stands twice in one object; keep one"
            )
        if escaped and any(_HALF_SIGN.search(name) for name in found):
            raise MatedError(f"{file.name}: a name has an escape such as \\ud800, half a sign; write names as UTF-8")
        return found

    text = _text(file)
    if not text.strip():
        raise MatedError(f"{file.name} is empty; it holds no scores")
    escaped = "\\u" in text
    try:
        content = json.loads(text, object_pairs_hook=each_once, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise MatedError(
            f"{file.name}, line {error.lineno}: this is not JSON ({error.msg}); the file is cut short or damaged, or "
            "another table, which is read as CSV or Parquet"
        ) from None
    except RecursionError:
        raise MatedError(f"{file.name} is JSON of too many objects within each other; it cannot be read") from None
    if not isinstance(content, dict):
        raise MatedError(f"{file.name} is JSON without {_SCORES} and {_QUALITIES}; it cannot be read")
    return content


def _text(file: InputFile) -> str:
    content = file.contents_up_to(_LARGEST, "JSON is held in memory, so write so many scores as CSV or Parquet")
    encoding = json.detect_encoding(content)
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MatedError(f"{file.name}, line {line}: this is not UTF-8 text; save the file as UTF-8") from None
    if encoding in _MARKS:
        check_wide_mark(file.name, _MARKS[encoding], text)
    return text


def _integer(written: str) -> int | float:
    """Return an integer; one beyond floating point is infinite, as it may have more digits than Python reads."""
    return int(written) if len(written) <= _MOST_DIGITS else math.copysign(math.inf, -1 if written[0] == "-" else 1)


def _line_of_repeated(text: str) -> int:
    """Return the line on which some object has a name for the second time."""
    names: list[set[str]] = []
    for token in _TOKENS.finditer(text):
        if token[0] == "{":
            names.append(set())
        elif token[0] == "}":
            names.pop()
        elif token[2]:
            name = json.loads(f'"{token[1]}"')
            if name in names[-1]:
                return text.count("\n", 0, token.start()) + 1
            names[-1].add(name)
    return 1


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
    places = [place for place, sign in enumerate(pair) if sign == "-"]
    halves = ((pair[:place], pair[place + 1 :]) for place in places[:_MOST_HYPHENS])
    fitting = [(a, b) for a, b in halves if a in known and b in known]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        what = f"can be divided into two known samples in {len(fitting)} ways; use ids without hyphens"
    elif places:
        what = "has no hyphen between two samples with a quality; give both one, or ids without hyphens"
    else:
        what = "has no hyphen; a pair is named by two samples with a hyphen between them"
    raise MatedError(f"{_place(file, pair)}: the name of the pair {what}")


def _place(file: InputFile, key: str, *, after: str | None = None) -> str:
    """Say on which line a key stands (the first one after another key); keys name people and are not shown."""
    text = _text(file)
    start = 0 if after is None else max(_find(text, after, 0), 0)
    found = _find(text, key, start)
    return file.name if found < 0 else f"{file.name}, line {text.count(chr(10), 0, found) + 1}"


def _find(text: str, key: str, start: int) -> int:
    return max(text.find(json.dumps(key, ensure_ascii=escaped), start) for escaped in (True, False))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
