"""Classes of one record with the same confidential value are alike: one stands for all.

In a file with many keys most classes have a single record. What a promise about values says of such
a class depends on nothing but the value, so that there is one answer for each value of the domain,
however many millions of classes there are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.data.classes import EquivalenceClasses
from tacita.microdata.models.class_table import Domain, Histogram, histogram_of


def alike_classes(classes: EquivalenceClasses, name: str) -> tuple[EquivalenceClasses, Histogram]:
    """Let one class of one record stand for all those with its value of an attribute.

    Returns the classes that are left, in the order of their first records, and how the values of
    the attribute are spread in them; the histogram tells how many classes each stands for.
    """
    if 2 * np.count_nonzero(classes.counts == 1) < len(classes):
        return classes, histogram_of(classes, name)
    from tacita.kernels.by_group import count_codes_per_group
    from tacita.kernels.standing_in import Grouped, stand_in

    domain, codes = Domain.with_places(classes.data, name)
    grouped = Grouped(classes.of_record, classes.first, classes.counts)
    left = stand_in(grouped, codes, len(domain))
    found = count_codes_per_group(left.ids, left.codes, len(left.groups), len(domain))
    kept = replace(
        classes,
        of_record=left.ids,
        first=classes.first[left.groups],
        counts=classes.counts[left.groups],
    )
    return kept, Histogram(domain, *found, times=left.times)
