"""From a plan to a release: mask, attack, measure, judge, and write the evidence."""
