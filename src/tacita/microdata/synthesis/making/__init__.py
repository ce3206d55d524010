"""What generators share: the records they make, the rules these keep, copies of respondents."""
