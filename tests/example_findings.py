"""A small study of synthetic people with every section of a report, put together by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from mated.evaluation import compare, identify, predict, quality, verify
from mated.report.findings import ClaimAnswer, Findings, GroupFindings, InputRecord, Provenance, SystemFindings
from mated.scores import Comparisons
from mated.synthetic import GaussianIdentities

SEED = 2008
_BETWEEN = (0.8,) * 6 + (0.9,) * 6
_STRANGERS = 20


def two_systems(subjects: int = 80, samples: int = 4, groups: tuple[str, str] = ("A", "B")) -> dict[str, Comparisons]:
    """Return the comparisons of an integer and a decimal scoring system, with groups of probe and reference."""
    group = np.where(np.arange(subjects) % 2 == 0, *groups)
    people = GaussianIdentities(_BETWEEN).draw(
        subjects, samples, rng=SEED, noise=np.where(group == groups[1], 1.3, 1.0)
    )
    rows, columns = people.pairs()
    names, probes = np.array(people.subject_names), np.array(people.sample_names)
    sides = {
        "probe_subject": names[rows],
        "reference_subject": names[columns],
        "probe_sample": probes[rows],
        "reference_sample": probes[columns],
    }
    pair = [group[people.subject[side]] for side in (rows, columns)]
    covariates = {
        "group": np.where(pair[0] == pair[1], pair[0], "across"),
        "probe_group": pair[0],
        "ref_group": pair[1],
    }
    scores = {"alpha": people.matrix("llr", scale=100, decimals=0), "beta": people.matrix("cosine", decimals=4)}
    return {
        name: Comparisons.from_arrays(matrix.scores[rows, columns], **sides, covariates=covariates)
        for name, matrix in scores.items()
    }


def searches(subjects: int = 80, samples: int = 4) -> dict[str, Comparisons]:
    """Return probes, some of them of people who are not enrolled, against one reference each of the others."""
    people = GaussianIdentities(_BETWEEN).draw(subjects, samples, rng=SEED, noise=1.2)
    names, each = np.array(people.subject_names), np.array(people.sample_names)
    first = np.flatnonzero(np.arange(len(names)) % samples == 0)
    enrolled = first[: subjects - _STRANGERS]
    probes = np.setdiff1d(np.arange(len(names)), first)
    rows, columns = np.repeat(probes, len(enrolled)), np.tile(enrolled, len(probes))
    scores = {"alpha": people.matrix("llr", scale=100, decimals=0), "beta": people.matrix("cosine", decimals=4)}
    full = {name: matrix.scores for name, matrix in scores.items()}
    return {
        name: Comparisons.from_arrays(
            np.where(rows < columns, matrix[rows, columns], matrix[columns, rows]),
            probe_subject=names[rows],
            reference_subject=names[columns],
            probe_sample=each[rows],
            reference_sample=each[columns],
        )
        for name, matrix in full.items()
    }


def across_groups(comparisons: Comparisons, threshold: float) -> dict[str, dict[str, tuple[int, int]]]:
    """Count false matches by group of the probe and of the reference, a pair once in each order."""
    table: dict[str, dict[str, tuple[int, int]]] = {}
    one, other = comparisons.covariates["probe_group"], comparisons.covariates["ref_group"]
    names = sorted(set(one.tolist()))
    for probe in names:
        table[probe] = {}
        for reference in names:
            rows = ~comparisons.mated & (one == probe) & (other == reference)
            table[probe][reference] = (int((comparisons.score[rows] >= threshold).sum()), int(rows.sum()))
    return table


@dataclass(frozen=True)
class Labels:
    """Everything that a user may call something."""

    systems: tuple[str, str] = ("alpha", "beta")
    groups: tuple[str, str] = ("A", "B")
    algorithms: tuple[str, str, str] = ("sharpness", "contrast", "coin toss")
    title: str = "Two synthetic systems"
    notes: str = "Eighty synthetic people, four samples each.\n\nNobody was measured."
    file: str = "scores.csv"
    command: str = "mated report study.toml"


HOSTILE = Labels(
    systems=("</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=2>" + "long " * 400),
    groups=("<b>A</b> & %{x} $e^2$", "\u202eB\u202c \"quoted\" 'twice' ~c0"),
    algorithms=("<a href='https://example.org/'>here</a>", "&lt;b&gt;", "\u2028line\u2029"),
    title="<script>window.hacked=3</script> \u202eevil",
    notes="<iframe src='https://example.org/'></iframe>\n\n{{ 7 * 7 }} ]]> --> </style>",
    file="<svg onload=window.hacked=4>.csv",
    command="mated report '</script>' \"\" {% raw %}",
)


@cache
def full_findings() -> Findings:
    """Return findings with every section."""
    return build(Labels())


@cache
def hostile_findings() -> Findings:
    """Return the same with names that try to be something else."""
    return build(HOSTILE)


@cache
def bare_findings() -> Findings:
    """Return one system known by two lists of scores alone: no people, no intervals, no searches."""
    rng = np.random.default_rng(SEED)
    v = verify(rng.normal(3, 1, 300), rng.normal(0, 1, 3000), name="lists")
    return replace(full_findings(), systems={"lists": SystemFindings("lists", v, None)}, comparison=None, quality={},
                   claims=(), notes="", left_out=(("Identification", "samples are not named"),))  # fmt: skip


def build(labels: Labels, replicates: int = 200) -> Findings:
    """Put the study together under any names."""
    names, title, notes = labels.systems, labels.title, labels.notes
    comparisons = dict(zip(names, two_systems(groups=labels.groups).values(), strict=True))
    searched = dict(zip(names, searches().values(), strict=True))
    verifications = {name: verify(table, name=name) for name, table in comparisons.items()}
    bootstraps = {name: v.bootstrap(replicates, rng=SEED) for name, v in verifications.items()}
    first = names[0]
    by = verifications[first].by("group")
    point = verifications[first].at_fmr(0.001)
    groups = GroupFindings(
        ("group",),
        by,
        by.bootstrap(replicates, rng=SEED),
        {0.001: across_groups(comparisons[first], float(point.threshold))},
    )
    identifications = {name: identify(s, name=name, replicates=replicates, rng=SEED) for name, s in searched.items()}
    forecast = predict(
        verifications[first], gallery=(10, 30, 100, 1000, 10**4, 10**6), ranks=1, replicates=20, rng=SEED
    )
    return Findings(
        title=title,
        systems={
            name: SystemFindings(
                name,
                verifications[name],
                bootstraps[name],
                groups=(groups,) if name == first else (),
                identification=identifications[name],
                prediction=forecast if name == first else None,
                inputs=(InputRecord(labels.file, 1_234_567, "0123456789abcdef" * 4),),
                notes=("drawn from the Gaussian identity model",),
            )
            for name in names
        },
        provenance=Provenance(
            mated="0.1.0",
            python="3.13.5",
            packages={"numpy": "2.4.0", "scipy": "1.18.0", "polars": "2.1.0"},
            command=labels.command,
            seed=SEED,
            date="2026-09-01",
        ),
        comparison=compare(*verifications.values(), names=list(names), replicates=replicates, rng=SEED),
        quality={first: _qualities(comparisons[first], first, labels.algorithms)},
        claims=_claims(names, bootstraps),
        notes=notes,
        left_out=(("Groups of beta", "the study asks for groups of the first system only."),),
    )


def _qualities(table: Comparisons, name: str, algorithms: tuple[str, str, str]):
    """Return qualities that know the mated scores of a sample, more and less disturbed, and one that knows nothing."""
    assert table.samples is not None
    samples = table.samples
    total, count = np.zeros(len(samples.names)), np.zeros(len(samples.names))
    for side in (samples.probe, samples.reference):
        np.add.at(total, side[table.mated], table.score[table.mated])
        np.add.at(count, side[table.mated], 1)
    mean = (total / count - np.mean(total / count)) / np.std(total / count)
    rng = np.random.default_rng(SEED)
    noise = dict(zip(algorithms, (0.5, 1.5, None), strict=True))
    values = {
        algorithm: rng.standard_normal(len(mean)) if scale is None else mean + scale * rng.standard_normal(len(mean))
        for algorithm, scale in noise.items()
    }
    by_sample = {
        algorithm: dict(zip(samples.names, qualities.tolist(), strict=True)) for algorithm, qualities in values.items()
    }
    return quality(table, by_sample, replicates=100, rng=SEED, name=name)


def _claims(names: tuple[str, str], bootstraps) -> tuple[ClaimAnswer, ...]:
    answers = []
    for name, limit in ((names[0], 0.2), (names[0], 0.05), (names[1], 0.001)):
        e = bootstraps[name].at_fmr(0.01)
        low, high = e.fnmr.low, e.fnmr.high
        assert low is not None
        assert high is not None
        verdict = "supported" if high <= limit else "not supported" if low > limit else "undecided"
        answers.append(
            ClaimAnswer(
                f"FNMR at FMR 0.01 is at most {limit:g}",
                name,
                verdict,
                e.fnmr.value,
                low,
                high,
                0.95,
                e.point.errors_mated,
                80,
                f"The interval is {low:.3g} to {high:.3g}.",
                e.fnmr.caution,
            )
        )
    return tuple(answers)
