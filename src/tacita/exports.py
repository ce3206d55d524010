"""The public names and where they live."""

from __future__ import annotations

# What there is besides the methods, and where. Nothing is imported before it is used: the command
# line answers at once, and no optional package is needed by those who do not use it.
HOMES = {
    "Accuracy": "tacita.intruders.accuracy",
    "Advice": "tacita.tradeoff.advising",
    "Answer": "tacita.queries.answer",
    "Attribute": "tacita.data.attribute",
    "Combined": "tacita.microdata.synthesis.inference.combining",
    "Copies": "tacita.api.copies",
    "CustomScore": "tacita.tradeoff.score",
    "Database": "tacita.api.database",
    "Dataset": "tacita.data.dataset",
    "Dimension": "tacita.tables.dimension",
    "EquivalenceClasses": "tacita.data.classes",
    "Estimates": "tacita.microdata.synthesis.inference.analyses",
    "Given": "tacita.tables.apriori",
    "Guesses": "tacita.attacks.clues.guess",
    "Inspection": "tacita.inspection",
    "Intruder": "tacita.intruders.intruder",
    "Kind": "tacita.data.attribute",
    "LinkedTables": "tacita.api.table",
    "Microdata": "tacita.api.microdata",
    "PostMasking": "tacita.tradeoff.post_masking",
    "RiskUtilityMap": "tacita.tradeoff.risk_utility_map",
    "Role": "tacita.data.attribute",
    "Scan": "tacita.api.scan",
    "Scenario": "tacita.intruders.scenario",
    "Score": "tacita.tradeoff.score",
    "ScoreCard": "tacita.tradeoff.score_card",
    "Status": "tacita.tables.status",
    "Table": "tacita.api.table",
    "TableAudit": "tacita.tables.audit.audit",
    "TacitaError": "tacita.errors",
    "advise": "tacita.tradeoff.advising",
    "advising": "tacita.tradeoff.advising",
    "audit": "tacita.tables.audit.audit",
    "combine": "tacita.microdata.synthesis.inference.combining",
    "connect": "tacita.api.remote",
    "disclosure_risk": "tacita.api.microdata",
    "errors": "tacita.errors",
    "estimated_frequencies": "tacita.microdata.masking.randomizing.estimating",
    "example": "tacita.api.microdata",
    "experiment": "tacita.api.experiment",
    "guard": "tacita.api.database",
    "guess_methods": "tacita.attacks.guessing",
    "hierarchy_from": "tacita.api.hierarchies",
    "information_loss": "tacita.api.microdata",
    "inspect": "tacita.inspection",
    "link": "tacita.api.table",
    "methods": "tacita.registry",
    "read": "tacita.api.microdata",
    "read_hierarchy": "tacita.data.hierarchies.files",
    "read_keyed_text": "tacita.api.keyed_text",
    "read_plan": "tacita.release.plan",
    "read_table": "tacita.api.table",
    "risk_utility_map": "tacita.tradeoff.risk_utility_map",
    "run": "tacita.api.run",
    "scan": "tacita.api.scan",
    "scenario": "tacita.intruders.library",
    "scenarios": "tacita.intruders.library",
    "score": "tacita.tradeoff.score",
    "synthesize": "tacita.api.copies",
    "tabulate": "tacita.api.table",
    "use_threads": "tacita.threads",
    "verify": "tacita.api.run",
    "write_hierarchy": "tacita.data.hierarchies.files",
    "write_keyed_text": "tacita.api.keyed_text",
}


def homes() -> dict[str, str]:
    """Return every public name with its module: the names above and the registry's methods."""
    from tacita.registry import methods

    return {**HOMES, **{cls.__name__: cls.__module__ for cls in methods().values()}}
