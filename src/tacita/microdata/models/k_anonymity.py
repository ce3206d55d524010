"""k-anonymity: nobody stands alone."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

from tacita.data.classes import EquivalenceClasses, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.fitting import Semantics, fitting_of
from tacita.microdata.models.verdicts import K, Keys, class_told
from tacita.results import Verdict, listed
from tacita.validity import ANY_CHANGE


class KAnonymity(Method):
    """Every combination of key values is shared by at least k records.

    For each equivalence class C over the key attributes, |C| >= k. Whoever knows a respondent's
    key values cannot tell the respondent's record from k - 1 others: re-identification by keys
    succeeds with probability 1/k at most. A blank value agrees only with a blank, as a reader of
    the released file sees it. The model says nothing of confidential values, which may all agree
    within a class.

    By `fitting` semantics, for files whose values were generalized record by record, whatever a
    record may stand for is fitted by at least k records: of the combinations of values behind its
    ranges (`[24-28]`, `937**`, a blank) there is none that fewer have in theirs. Equality implies
    it. Ranges are read as the file shows them: a label that it does not explain stands for itself,
    and a blank may be a value that is shown nowhere.

    When not to use it: alone, where it matters what is learned of somebody and not only who it is;
    add `l_diversity` or `t_closeness`.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> print(ta.KAnonymity(4).check(ta.example("conditions_4_anonymous")))
    holds: every combination of Age, Zip code, Nationality is shared by at least 4 records
    >>> ages = pa.table({"age": ["[20-29]", "[20-24]", "[25-29]"]})
    >>> coarse = ta.read(ages, roles={"age": "key"})
    >>> [bool(ta.KAnonymity(2, semantics=s).check(coarse)) for s in ("equality", "fitting")]
    [False, True]
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Samarati & Sweeney, SRI International, tech. report SRI-CSL-98-04, 1998"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else; by fitting "
        "semantics they stand for every value."
    )
    example: ClassVar = {"k": 2}
    public: ClassVar = frozenset({"k", "keys", "semantics"})
    merging_keeps: ClassVar = True
    joining_keeps: ClassVar = True

    k: K
    keys: Keys = None
    _: KW_ONLY
    semantics: Semantics = "equality"

    def check(self, data: Dataset) -> Verdict:
        """Tell whether the data are k-anonymous, and which class is the smallest."""
        classes = data.classes(self.keys)
        if classes.smallest >= self.k or not len(classes):
            return Verdict(self.to_plan(), True, classes.smallest or None, self._kept(classes))
        return self._fitting(classes) if self.semantics == "fitting" else self._broken(classes)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise, by equality."""
        return (classes.sizes < self.k) & (classes.sizes > 0)

    def _kept(self, classes: EquivalenceClasses) -> str:
        if not len(classes):
            return "there are no records"
        least = f"at least {classes.smallest} records"
        return f"every combination of {listed(classes.keys)} is shared by {least}"

    def _broken(self, classes: EquivalenceClasses) -> Verdict:
        broken = self.breaks(ClassTable(classes.counts))
        records = int(classes.counts[broken].sum())
        sentence = (
            f"{records:,} of {int(classes.counts.sum()):,} records share their combination of "
            f"{listed(classes.keys)} with fewer than {self.k} records"
        )
        worst = class_told(classes, int(classes.counts.argmin()))
        return Verdict(self.to_plan(), False, classes.smallest, sentence, worst)

    def _fitting(self, classes: EquivalenceClasses) -> Verdict:
        found = fitting_of(classes, self.k)
        of = f"of {listed(classes.keys)}"
        if not found.broken.any():
            sentence = f"every combination {of} behind a record is fitted by at least {self.k}"
            return Verdict(self.to_plan(), True, self.k, sentence)
        records, all_records = int(classes.counts[found.broken].sum()), len(classes.of_record)
        doubt = f"; {found.undecided:,} classes of them undecided" if found.undecided else ""
        sentence = (
            f"{records:,} of {all_records:,} records may stand for a combination {of} that fewer "
            f"than {self.k} records fit{doubt}"
        )
        return Verdict(
            self.to_plan(), False, found.level, sentence, class_told(classes, found.worst)
        )
