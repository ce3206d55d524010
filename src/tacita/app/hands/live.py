"""The measures that are looked at while a person tries things."""

# Quick enough for it, and of any sort of masking one that tells of it: keys shared, records
# linked, values disclosed; values gone, moved, coarsened.
LIVE = (
    "uniqueness",
    "prosecutor_risk",
    "marketer_risk",
    "exact_linkage",
    "interval_disclosure",
    "suppression",
    "direct_comparison",
    "mean_information_loss",
    "hellinger",
)
MOVED = "mean_change"  # which compares masking of all sorts, and is no method of its own
