"""The public names and where they live."""

from __future__ import annotations

# What there is besides the methods, and where. Nothing is imported before it is used: the command
# line answers at once, and no optional package is needed by those who do not use it.
HOMES = {
    "Attribute": "tacita.data.attribute",
    "Dataset": "tacita.data.dataset",
    "EquivalenceClasses": "tacita.data.classes",
    "Inspection": "tacita.inspection",
    "Kind": "tacita.data.attribute",
    "Microdata": "tacita.api.microdata",
    "Scan": "tacita.api.scan",
    "Role": "tacita.data.attribute",
    "TacitaError": "tacita.errors",
    "disclosure_risk": "tacita.api.microdata",
    "errors": "tacita.errors",
    "example": "tacita.api.microdata",
    "information_loss": "tacita.api.microdata",
    "inspect": "tacita.inspection",
    "methods": "tacita.registry",
    "read": "tacita.api.microdata",
    "read_hierarchy": "tacita.data.hierarchies.files",
    "read_plan": "tacita.release.plan",
    "run": "tacita.api.run",
    "scan": "tacita.api.scan",
    "use_threads": "tacita.threads",
    "verify": "tacita.api.run",
    "write_hierarchy": "tacita.data.hierarchies.files",
}


def homes() -> dict[str, str]:
    """Return every public name with its module: the names above and the registry's methods."""
    from tacita.registry import methods

    return {**HOMES, **{cls.__name__: cls.__module__ for cls in methods().values()}}
