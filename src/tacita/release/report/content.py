"""From facts to a report: what a reader sees, in which order, in which words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tacita.release.proof import Proof
from tacita.release.report import plots, words
from tacita.release.report.counts import SIZE_BINS, Bars, Distribution, Histogram
from tacita.release.report.map_section import map_section
from tacita.release.report.measured import measured, not_measured
from tacita.release.report.model import (
    Align,
    Block,
    Card,
    Cards,
    Cell,
    Figure,
    Figures,
    KeyNumber,
    Notice,
    Paragraph,
    Report,
    Section,
    State,
    Table,
    Terms,
)
from tacita.release.report.tables import TABLE_TERMS, table_numbers, table_sections
from tacita.release.report.told import (
    SHOWN,
    AttributeRow,
    Audience,
    Facts,
    Measure,
    Pairs,
    Promise,
    Step,
)

BARS_DRAWN = 12
MEASURES_DRAWN = 6
PARTS_BESIDE = 5  # measures whose parts stand in one table
TITLE = "Disclosure control report"
FOR_WHOM = {
    Audience.PUBLIC: "For whoever receives the data",
    Audience.INTERNAL: (
        "For the data-protection officer and the statistician. It tells what an intruder could use "
        "to undo the masking: keep it apart from the released data."
    ),
}
BADGES: dict[Proof, tuple[str, State]] = {
    Proof.PROVEN: ("proven", "good"),
    Proof.WITHSTOOD: ("withstood", "warn"),
    Proof.NOT_PROVEN: ("not proven", "warn"),
}
LEGEND: Pairs = (("before", "before masking"), ("after", "after masking"))


def content(facts: Facts) -> Report:
    """Return the report that some facts make."""
    verdict, state = _verdict(facts)
    return Report(
        audience=facts.audience,
        title=TITLE,
        subtitle=FOR_WHOM[facts.audience],
        verdict=verdict,
        state=state,
        lead=" ".join(_lead(facts)),
        numbers=tuple(_numbers(facts) if facts.has_records else table_numbers(facts)),
        sections=tuple(section for section in _sections(facts) if section.blocks),
        run=facts.run,
    )


def _sections(facts: Facts) -> Iterator[Section]:
    yield Section("warnings", "What to know first", tuple(_warnings(facts)))
    if facts.has_records:
        yield from _of_records(facts)
    else:
        yield Section("promised", "What is promised", tuple(_promised(facts)))
    yield from table_sections(facts)
    yield Section("reading", "How to read this", (Terms(_terms(facts)),))


def _of_records(facts: Facts) -> tuple[Section, ...]:
    return (
        Section("done", "What was done", tuple(_done(facts))),
        Section("promised", "What is promised", tuple(_promised(facts))),
        Section("risk", "What risk is left", tuple(_risk(facts))),
        Section("cost", "What it cost", tuple(_cost(facts))),
        *_compared(facts),
        Section("attributes", "The attributes", tuple(_attributes(facts))),
        Section("distributions", "Distributions before and after", tuple(_distributions(facts))),
    )


# -- the top -------------------------------------------------------------------------------------


def _verdict(facts: Facts) -> tuple[str, State]:
    judged = facts.judged
    if judged.failed:
        fail = "fails" if judged.failed == 1 else "fail"
        of = f" of {judged.required}" if judged.required > 1 else ""
        thing = "requirement" if judged.required == 1 else "requirements"
        return f"Released although {judged.failed}{of} {thing} {fail}.", "bad"
    if facts.waived and facts.tables:  # which carry a requirement of their own
        return "Nothing was required of the records, so nothing is promised of them.", "warn"
    if facts.waived or not judged.required:
        return "Nothing was required of this release, so nothing is promised.", "warn"
    return judged.sentence, "good" if judged.is_proven else "warn"


def _lead(facts: Facts) -> Iterator[str]:
    if facts.has_records:
        yield from _records_lead(facts)
    if facts.tables:
        tables = words.counted(len(facts.tables), "table")
        yield f"{tables} {_verb(len(facts.tables), 'is')} released. {facts.together}"


def _records_lead(facts: Facts) -> Iterator[str]:
    steps = words.counted(len(facts.steps), "masking step")
    how = f"after {steps}" if facts.steps else "without any masking"
    before, after = facts.records_before, facts.records
    if before is None:
        yield f"{words.counted(after, 'record')} {_verb(after, 'is')} released {how}."
        return
    source = f" from {facts.source}" if facts.source else ""
    released = f"{after:,} {_verb(after, 'is')} released {how}"
    yield f"Of {words.counted(before, 'record')}{source}, {released}."
    if (left_out := before - after) > 0:
        share = words.percent(left_out / before)
        yield f"{left_out:,} ({share}) {_verb(left_out, 'was')} left out."


def _verb(number: int, singular: str) -> str:
    return singular if number == 1 else {"is": "are", "was": "were"}[singular]


def _numbers(facts: Facts) -> Iterator[KeyNumber]:
    before = facts.records_before
    yield KeyNumber("Records", f"{facts.records:,}", "released", _size(before))
    before = facts.attributes_before if facts.attributes_before != facts.attribute_count else None
    yield KeyNumber("Attributes", f"{facts.attribute_count:,}", "released", _size(before))
    after, smallest = (_size(size) for size in facts.smallest)
    hint = "records that share the rarest key values"
    yield KeyNumber("Smallest class", after or "none", hint, smallest)
    yield _share(facts, "uniqueness", "Uniqueness", "records whose key values nobody shares")
    yield _strongest(facts)


def _size(size: int | None) -> str:
    return "" if size is None else f"{size:,}"


def _share(facts: Facts, name: str, label: str, hint: str) -> KeyNumber:
    found = facts.measure(name)
    if found is None:
        reason = dict(facts.not_measured).get(words.title(name), "")
        return KeyNumber(label, _not_told(reason), hint)
    before = words.percent(found.before) if found.compared and found.value is not None else ""
    return KeyNumber(label, words.percent(found.value), hint, before)


def _not_told(reason: str) -> str:
    return "not applicable" if reason.lower().startswith("not applicable") else "not measured"


def _strongest(facts: Facts) -> KeyNumber:
    """Return what the strongest of the attacks finds that apply to what was done."""
    linking = facts.linking
    if not linking:
        return KeyNumber("Strongest attack", "not measured", "records linked to their respondents")
    best = linking[0]
    hint = (
        f"records that {words.phrase(best.name)} links to their respondents, the most of "
        f"{words.counted(len(linking), 'attack')}"
    )
    before = words.percent(best.before) if best.compared else ""
    return KeyNumber("Strongest attack", words.percent(best.value), hint, before)


def _warnings(facts: Facts) -> Iterator[Block]:
    if facts.warnings:
        yield Notice("Warnings", facts.warnings)


# -- what was done and promised ------------------------------------------------------------------


def _done(facts: Facts) -> Iterator[Block]:
    if not facts.steps:
        yield Paragraph("No masking step was carried out.")
        return
    yield Cards(tuple(_step(step) for step in facts.steps[:SHOWN]), numbered=True)
    yield from _left_over(len(facts.steps), "steps")
    if facts.inference:
        yield Paragraph(facts.inference)


def _step(step: Step) -> Card:
    kept = f"Keeps {'; '.join(step.keeps)}." if step.keeps else ""
    told = tuple(filter(None, (step.summary, kept)))
    return Card(step.title, told, (*step.parameters, *step.notes), step.reference)


def _promised(facts: Facts) -> Iterator[Block]:
    if facts.profile:
        yield Terms(facts.profile)
    if facts.promises:
        yield Cards(tuple(_promise(promise) for promise in facts.promises[:SHOWN]))
    yield from _left_over(len(facts.promises), "requirements")
    if told := " ".join(_untold(facts)):
        yield Paragraph(told)


def _untold(facts: Facts) -> Iterator[str]:
    """Say how many requirements there are that are not told one by one."""
    if facts.waived and facts.tables:
        yield "Nothing was required of the records. The measures below tell their risk."
    elif facts.waived or not facts.judged.required:
        yield "Nothing was required, so nothing is promised. The measures below tell the risk."
    judged = facts.judged
    kept = judged.held - sum(promise.holds for promise in facts.promises)
    failed = judged.failed - sum(not promise.holds for promise in facts.promises)
    if kept:
        bounds = f"{words.counted(kept, 'bound')} on measured values {_verb(kept, 'is')} kept"
        yield f"{bounds}; the tables below tell the values."
    if failed:
        yield f"{words.counted(failed, 'requirement')} {_verb(failed, 'is')} not met."


def _promise(promise: Promise) -> Card:
    badge, state = BADGES[promise.proof] if promise.holds else ("fails", "bad")
    lines = (f"{promise.sentence}.", " ".join(filter(None, (promise.summary, promise.explanation))))
    worst = (("worst case", promise.worst),) if promise.worst else ()
    told = tuple(line for line in lines if line)
    return Card(promise.title, told, worst, promise.reference, badge, state)


def _left_over(count: int, things: str) -> Iterator[Block]:
    if count > SHOWN:
        yield Paragraph(f"And {count - SHOWN:,} more {things}, which the evidence lists.")


# -- risk and cost -------------------------------------------------------------------------------


def _risk(facts: Facts) -> Iterator[Block]:
    measures = [measure for measure in facts.measures if measure.family != "utility"]
    if measures and facts.intruder:
        yield Paragraph(f"Risks and attacks are those of {facts.intruder}.")
    if facts.strongest:
        yield Paragraph(f"The strongest attack: {facts.strongest}.")
    if measures:
        yield measured(measures, "Disclosure risks and attacks; 0 is no risk.")
    else:
        yield Paragraph("No disclosure risk was measured.")
    after, before = facts.sizes
    if after is not None and facts.records:
        yield Figures((_class_sizes(after, before),), LEGEND if before is not None else ())
    yield from _parts(measures)
    yield from not_measured(facts.not_measured)


def _class_sizes(after: Sequence[float], before: Sequence[float] | None) -> Figure:
    told = [("before masking", before), ("after masking", after)]
    alt = ". ".join(f"{_bins(shares)} {when}" for when, shares in told if shares is not None)
    return Figure(
        "class-sizes",
        "Records by the size of their class",
        "A class is all records with the same key values. A record alone in its class (size 1) is "
        "the easiest to find; the larger its class, the better it is hidden.",
        f"Bar chart of the share of records by class size. {alt}.",
        plots.class_sizes(after, before),
    )


def _bins(shares: Sequence[float]) -> str:
    return ", ".join(
        f"size {size}: {words.percent(share)}"
        for size, share in zip(SIZE_BINS, shares, strict=True)
        if share
    )


def _cost(facts: Facts) -> Iterator[Block]:
    measures = [measure for measure in facts.measures if measure.family == "utility"]
    if not measures:
        yield Paragraph("No loss of information was measured.")
        return
    yield measured(measures, "Information loss; 0 is no loss.")
    drawn = [measure for measure in measures if any(value for _, value in measure.parts)]
    if drawn:
        yield Figures(tuple(_drawn_parts(measure) for measure in drawn[:MEASURES_DRAWN]))
    yield from _parts(measures)


def _drawn_parts(measure: Measure) -> Figure:
    known = [(words.name_of(name), value) for name, value in measure.parts if value is not None]
    key = f"parts-{measure.name}"
    told = words.listed((f"{name} {words.number(value)}" for name, value in known), BARS_DRAWN)
    return Figure(
        key,
        f"{words.title(measure.name)}, by attribute",
        "The largest first." if len(known) > 1 else "",
        f"Bar chart of {words.phrase(measure.name)} by attribute: {told}.",
        plots.parts(known[:BARS_DRAWN], key),
    )


def _parts(measures: Iterable[Measure]) -> Iterator[Table]:
    """List what each attribute, or pair of attributes, adds to every measure that has parts."""
    groups: dict[frozenset[str], list[Measure]] = {}
    for measure in measures:
        if measure.parts:
            groups.setdefault(frozenset(name for name, _ in measure.parts), []).append(measure)
    for together in groups.values():
        for start in range(0, len(together), PARTS_BESIDE):
            yield _parts_table(together[start : start + PARTS_BESIDE])


def _parts_table(together: Sequence[Measure]) -> Table:
    names = [name for name, _ in together[0].parts]
    values = [dict(measure.parts) for measure in together]
    titles = [words.title(measure.name) for measure in together]
    rows = tuple(
        (Cell(words.name_of(name)), *(Cell(words.number(value[name])) for value in values))
        for name in names
    )
    columns: tuple[tuple[str, Align], ...] = (
        ("Attribute", "name"),
        *((title, "number") for title in titles),
    )
    caption = f"{words.capital(words.listed(title.lower() for title in titles))}, by attribute."
    return Table(caption, columns, rows, _more(together[0].parts_left))


def _compared(facts: Facts) -> Iterator[Section]:
    if facts.compared is not None and facts.records_before is not None:
        yield map_section(facts.compared, facts.records_before)


# -- attributes ----------------------------------------------------------------------------------


def _attributes(facts: Facts) -> Iterator[Block]:
    if not facts.attributes:
        yield Paragraph("The data have no attributes.")
        return
    told = facts.attributes[0].blank is not None
    extra: tuple[tuple[str, Align], ...] = (("Blank before", "number"), ("Blank after", "number"))
    columns = (("Attribute", "name"), ("Role", "text"), ("Kind", "text"), *(extra if told else ()))
    rows = tuple(_attribute_row(row) for row in facts.attributes)
    yield Table("", columns, rows, _more(facts.attributes_known - len(rows)))  # type: ignore[arg-type]


def _attribute_row(row: AttributeRow) -> tuple[Cell, ...]:
    cells = (Cell(row.name), Cell(row.role), Cell(_kinds(row)))
    if row.blank is None:
        return cells
    after = f"{row.blank[1]:,}" if row.kind else ""
    return (*cells, Cell(f"{row.blank[0]:,}" if row.kind_before else ""), Cell(after))


def _kinds(row: AttributeRow) -> str:
    if row.blank is None or row.kind == row.kind_before:
        return row.kind
    return f"{row.kind_before or 'new'} \N{RIGHTWARDS ARROW} {row.kind or 'left out'}"


def _more(left: int) -> str:
    return f"and {left:,} more" if left > 0 else ""


def _distributions(facts: Facts) -> Iterator[Block]:
    if not facts.distributions:
        return
    figures = tuple(_distribution(i, shown) for i, shown in enumerate(facts.distributions, 1))
    if left := facts.attributes_known - len(figures):
        yield Paragraph(
            f"{len(figures)} of {words.counted(facts.attributes_known, 'attribute')}, keys first; "
            f"{left:,} {_verb(left, 'is')} not drawn (left out of the data, blank throughout, or "
            "beyond the first dozen)."
        )
    yield Figures(figures, LEGEND)


def _distribution(place: int, shown: Distribution) -> Figure:
    name = words.name_of(shown.name)
    caption = ". ".join(_about(shown))
    return Figure(
        f"distribution-{place}",
        name,
        caption,
        f"Distribution of {name} before and after masking. {caption}",
        plots.distribution(shown, f"distribution-{place}"),
    )


def _about(shown: Distribution) -> Iterator[str]:
    arrow = "\N{RIGHTWARDS ARROW}"
    if any(shown.blank):
        yield f"Blank: {words.percent(shown.blank[0])} {arrow} {words.percent(shown.blank[1])}"
    others = [side.others for side in (shown.before, shown.after) if isinstance(side, Bars)]
    if any(others):
        yield f"Categories not shown: {f' {arrow} '.join(f'{n:,}' for n in others)}"
    if any(isinstance(side, Histogram) and side.cut for side in (shown.before, shown.after)):
        yield "Far values are counted at the ends"


# -- how to read this ----------------------------------------------------------------------------

TERMS: Pairs = (
    (
        "Key attribute",
        (
            "What an intruder may know of a person or firm from elsewhere: age, place, trade. "
            "Masking works mostly on these."
        ),
    ),
    ("Confidential attribute", "What nobody may learn of a respondent from the data."),
    (
        "Class",
        (
            "All records with the same values of the key attributes. Who knows only these values "
            "cannot tell the records of a class apart."
        ),
    ),
    ("Uniqueness", "The share of records that are alone in their class."),
    (
        "Strongest attack",
        (
            "The largest share of records that any attack tried here links rightly to their "
            "respondents, if the intruder knows the attributes that it uses of every respondent: a "
            "worst case. Measures that do not apply to what was done are not among them."
        ),
    ),
    (
        "Information loss",
        "How far statistics of the released data are from those of the original.",
    ),
    ("Blank", "A value that is missing or was suppressed."),
)
ROUNDING = (
    "Rounding",
    (
        "Measures are coarse here, so that they give no single value away: risks have two "
        "digits, losses are told as a power of ten that they do not exceed."
    ),
)


def _terms(facts: Facts) -> Pairs:
    terms = (*(TERMS if facts.has_records else ()), *(TABLE_TERMS if facts.tables else ()))
    rounded = facts.audience is Audience.PUBLIC and facts.has_records
    return (*terms, ROUNDING) if rounded else terms
