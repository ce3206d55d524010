# Derived from the registry of methods; written by `make generate`.

from tacita.api.microdata import Microdata as Microdata
from tacita.api.microdata import disclosure_risk as disclosure_risk
from tacita.api.microdata import example as example
from tacita.api.microdata import information_loss as information_loss
from tacita.api.microdata import read as read
from tacita.api.run import run as run
from tacita.api.run import verify as verify
from tacita.api.scan import Scan as Scan
from tacita.api.scan import scan as scan
from tacita.data.attribute import Attribute as Attribute
from tacita.data.attribute import Kind as Kind
from tacita.data.attribute import Role as Role
from tacita.data.classes import EquivalenceClasses as EquivalenceClasses
from tacita.data.dataset import Dataset as Dataset
from tacita.data.hierarchies.files import read_hierarchy as read_hierarchy
from tacita.data.hierarchies.files import write_hierarchy as write_hierarchy
from tacita.errors import TacitaError as TacitaError
from tacita import errors as errors
from tacita.inspection import Inspection as Inspection
from tacita.inspection import inspect as inspect
from tacita.microdata.anonymize.datafly import Datafly as Datafly
from tacita.microdata.masking.drop import Drop as Drop
from tacita.microdata.masking.generalize import Generalize as Generalize
from tacita.microdata.masking.pseudonymize import Pseudonymize as Pseudonymize
from tacita.microdata.masking.recode import Recode as Recode
from tacita.microdata.masking.sample import Sample as Sample
from tacita.microdata.masking.shift_dates import ShiftDates as ShiftDates
from tacita.microdata.masking.shuffle_records import ShuffleRecords as ShuffleRecords
from tacita.microdata.masking.top_bottom import BottomCode as BottomCode
from tacita.microdata.masking.top_bottom import TopCode as TopCode
from tacita.microdata.models.k_anonymity import KAnonymity as KAnonymity
from tacita.microdata.risk.exact_linkage import ExactLinkage as ExactLinkage
from tacita.microdata.risk.uniqueness import Uniqueness as Uniqueness
from tacita.microdata.utility.moments import Correlations as Correlations
from tacita.microdata.utility.moments import Means as Means
from tacita.microdata.utility.moments import Variances as Variances
from tacita.registry import methods as methods
from tacita.release.plan import read_plan as read_plan
from tacita.threads import use_threads as use_threads

__all__ = [
    "Attribute",
    "BottomCode",
    "Correlations",
    "Datafly",
    "Dataset",
    "Drop",
    "EquivalenceClasses",
    "ExactLinkage",
    "Generalize",
    "Inspection",
    "KAnonymity",
    "Kind",
    "Means",
    "Microdata",
    "Pseudonymize",
    "Recode",
    "Role",
    "Sample",
    "Scan",
    "ShiftDates",
    "ShuffleRecords",
    "TacitaError",
    "TopCode",
    "Uniqueness",
    "Variances",
    "disclosure_risk",
    "errors",
    "example",
    "information_loss",
    "inspect",
    "methods",
    "read",
    "read_hierarchy",
    "read_plan",
    "run",
    "scan",
    "use_threads",
    "verify",
    "write_hierarchy",
]
