"""The keys of a study file, in one place: the parser, `mated init` and the reference page are made from this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["SCHEMA", "Key", "Kind", "Table", "reference_tables", "table"]

Kind: TypeAlias = Literal[
    "text",
    "number",
    "numbers",
    "rate",
    "rates",
    "count",
    "whole number",
    "whole numbers",
    "yes or no",
    "choice",
    "unit",
    "failures",
    "path",
    "paths",
    "named paths",
    "names",
    "groupings",
    "columns",
    "quality columns",
]

_TAKES: dict[str, str] = {
    "text": "a text",
    "number": "a number",
    "rate": "a number between 0 and 1",
    "rates": "numbers between 0 and 1, one or a list",
    "numbers": "numbers, one or a list",
    "count": "a whole number from 0 on",
    "whole number": "a whole number from 1 on",
    "whole numbers": "whole numbers from 1 on, one or a list",
    "yes or no": "true or false",
    "choice": "one of",
    "unit": 'a number, "auto" or "continuous"',
    "failures": 'a rate, or counts such as "3/300"',
    "path": "a path",
    "paths": "a path or a pattern, or a list of them",
    "named paths": "a path, a list of paths, or a table of names and paths",
    "names": "a name or a list of names",
    "groupings": "a list of columns; a list within it crosses its columns",
    "columns": "a table of roles and columns (names, or numbers from 1)",
    "quality columns": "a table of roles and columns",
}


@dataclass(frozen=True)
class Key:
    """One key of a table: what it takes, what it means, what holds without it, and an example as it is written."""

    name: str
    kind: Kind
    meaning: str
    default: str
    example: str
    choices: tuple[str, ...] = ()

    @property
    def takes(self) -> str:
        """What may stand after the key, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(c if c in ("true", "false") else f'"{c}"' for c in self.choices)
        return _TAKES[self.kind]


@dataclass(frozen=True)
class Table:
    """One table of a study file; a repeated one stands in double brackets, once for each thing."""

    name: str
    meaning: str
    keys: tuple[Key, ...]
    repeated: bool = False

    @property
    def heading(self) -> str:
        """How the table is begun in the file; nothing for the keys at its top."""
        if not self.name:
            return ""
        return f"[[{self.name}]]" if self.repeated else f"[{self.name}]"


_AUTO = ("auto", "true", "false")

SCHEMA: tuple[Table, ...] = (
    Table(
        "",
        "Keys at the top, before any table.",
        (
            Key("title", "text", "title of the report", '"Report"', '"Door 3, spring"'),
            Key("notes", "text", "paragraphs of plain text under the title", "none", '"Scores of May 2026."'),
            Key("level", "rate", "confidence level of every interval", "0.95", "0.95"),
            Key("seed", "count", "seed of all random draws", "1", "1"),
            Key("replicates", "count", "bootstrap replicates; 0 for no intervals", "2000", "2000"),
            Key(
                "intervals", "choice", "which intervals; see `mated verify --intervals`", '"auto"', '"auto"',
                ("auto", "subject", "iid", "bootstrap", "wilson", "clopper-pearson", "jeffreys"),
            ),
            Key("show_ids", "yes or no", "whether names of subjects and samples may be shown", "false", "false"),
        ),
    ),
    Table(
        "points",
        "Where verification is read off.",
        (
            Key("fmr", "rates", "false match rates", "what the data support", "[1e-2, 1e-3]"),
            Key("tmr", "rates", "true match rates", "none", "[0.99]"),
            Key("threshold", "numbers", "thresholds, as the scores are written", "none", "[40]"),
        ),
    ),
    Table(
        "system",
        "One system and its files; once for each system.",
        (
            Key("name", "text", "what to call the system", "the file's name", '"alpha"'),
            Key("file", "paths", "its scores; several files are parts of one table", "none", '"alpha.csv"'),
            Key("mated", "path", "in place of `file`: the list of mated scores", "none", '"genuine.txt"'),
            Key("nonmated", "path", "... and the list of non-mated scores", "none", '"impostor.txt"'),
            Key("format", "text", "file format; see docs/reference/formats.md", "detected", '"table"'),
            Key("key", "path", "which trials are mated, for lists of trials", "none", '"key.txt"'),
            Key("mask", "path", "mask of a BEE matrix", "by its name", '"alpha.mask"'),
            Key(
                "histogram", "choice", "which of two lists holds counts by score", "none", '"nonmated"',
                ("mated", "nonmated", "both"),
            ),
            Key("header", "yes or no", "whether line 1 of a text names columns", "detected", "true"),
            Key(
                "columns", "columns", "which column plays which role", "found by name",
                '{ score = "cosine", mated = "same" }',
            ),
            Key("ids", "path", "table of sample and subject for a matrix", "none", '"ids.csv"'),
            Key("probe_ids", "path", "the same for its rows alone", "none", '"probes.csv"'),
            Key("reference_ids", "path", "the same for its columns alone", "none", '"references.csv"'),
            Key("dissimilarity", "yes or no", "whether lower scores mean more alike", "by the column's name", "false"),
            Key("unit", "unit", "step between legitimate scores", '"auto"', "1"),
            Key("nan", "choice", "what a missing score means", '"refuse"', '"failure"', ("refuse", "failure")),
            Key("failure_score", "number", "a score that stands for a failure", "none", "-1"),
            Key("fte", "failures", "failures to enrol that the scores do not show", "none", '"3/300"'),
            Key("fta", "failures", "failures to acquire that the scores do not show", "none", "0.01"),
            Key("where", "text", "which rows of a table to use", "all", "\"sensor == 'A'\""),
            Key("stream", "yes or no", "whether to read in chunks and hold nothing", "where it is too large", "true"),
            Key(
                "symmetric", "choice", "whether each pair of samples is listed once", '"auto"', '"auto"',
                ("auto", "yes", "no"),
            ),
        ),
        repeated=True,
    ),
    Table(
        "groups",
        "People by groups.",
        (
            Key("by", "groupings", "columns of the scores; each gives one set of groups", "none", '["sensor"]'),
            Key("probe", "text", "column with the group of the probe", "none", '"probe_group"'),
            Key("reference", "text", "column with the group of the reference", "none", '"reference_group"'),
            Key("subjects", "path", "table of subjects and their groups, to be joined", "none", '"people.csv"'),
            Key("columns", "names", "which columns of that table", "all but the subject", '["sex"]'),
        ),
    ),
    Table(
        "identify",
        "Searches in the gallery of the data.",
        (
            Key("enabled", "choice", "whether to make this section; auto: where possible", '"auto"', '"auto"', _AUTO),
            Key("ranks", "whole numbers", "ranks of the CMC", "[1, 5, 10, 20]", "[1, 10]"),
            Key("fpir", "rates", "false positive identification rates", "what the data support", "[0.01]"),
            Key("threshold", "numbers", "thresholds of searches", "none", "[40]"),
            Key("length", "whole number", "candidates looked at for FNIR", "1", "1"),
            Key(
                "ties", "choice", "where a mate stands among equal scores", '"expected"', '"expected"',
                ("expected", "pessimistic", "optimistic"),
            ),
            Key("mate_removed", "yes or no", "take false positives from mated probes, mate left out", "false", "true"),
        ),
    ),
    Table(
        "forecast",
        "Galleries of other sizes.",
        (
            Key("enabled", "choice", "whether to make this section; auto: where possible", '"auto"', '"auto"', _AUTO),
            Key("gallery", "whole numbers", "identities enrolled", "up to 100 times the subjects", "[1000, 1e6]"),
            Key("ranks", "whole numbers", "ranks", "[1, 5, 10]", "[1, 10]"),
            Key("fpir", "rates", "false positive identification rates to predict FNIR at", "none", "[0.01]"),
            Key("replicates", "count", "draws of subjects for the intervals; 0 for none", "200", "200"),
        ),
    ),
    Table(
        "quality",
        "Quality algorithms.",
        (
            Key("files", "named paths", "qualities of the samples", "none", '{ good = "good.csv", weak = "weak.csv" }'),
            Key("pair_columns", "names", "columns of the scores that hold pair qualities", "none", '["iqa"]'),
            Key("columns", "quality columns", "columns of the files", "found by name", '{ sample = "image" }'),
            Key("type", "choice", "which errors: false non-matches or matches", '"fnm"', '"fnm"', ("fnm", "fm")),
            Key("starting_error", "rate", "error rate with nothing discarded", "0.05", "0.05"),
            Key("threshold", "number", "or the threshold, as the scores are written", "none", "40"),
            Key("limit", "rate", "discard fraction up to which the area goes", "0.2", "0.2"),
            Key(
                "pair", "choice", "how two qualities become that of a pair", '"minimum"', '"minimum"',
                ("minimum", "maximum", "mean", "product", "geometric mean"),
            ),
            Key("replicates", "count", "bootstrap replicates; 0 for none", "1000", "1000"),
        ),
    ),
    Table(
        "compare",
        "Tests between systems.",
        (
            Key("enabled", "choice", "whether to make this section; auto: where possible", '"auto"', '"auto"', _AUTO),
            Key(
                "paired", "choice", "whether the systems were tested on the same people", '"auto"', '"auto"',
                ("auto", "yes", "no"),
            ),
        ),
    ),
    Table(
        "claim",
        "A claim to check; once for each claim.",
        (
            Key(
                "text", "text", "the claim; see docs/how-to/report.md", "needed",
                '"fnmr <= 0.03 at fmr 1e-4"',
            ),
            Key("system", "text", "the system it is about", "every system", '"alpha"'),
            Key("level", "rate", "confidence level", "that of the study", "0.99"),
        ),
        repeated=True,
    ),
)  # fmt: skip
"""Every table of a study file, in the order in which `mated init` writes them."""


def table(name: str) -> Table:
    """Return one table by its name."""
    return next(t for t in SCHEMA if t.name == name)


def reference_tables() -> str:
    """Return the reference of all keys in Markdown, as docs/how-to/report.md holds it."""
    parts = []
    for t in SCHEMA:
        parts.append(f"### {f'`{t.heading}`' if t.name else 'At the top'}\n\n{t.meaning}\n")
        rows = ["| Key | Takes | Meaning | Without it | Example |", "|---|---|---|---|---|"]
        rows += [f"| `{k.name}` | {k.takes} | {k.meaning} | {k.default} | `{k.example}` |" for k in t.keys]
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)
