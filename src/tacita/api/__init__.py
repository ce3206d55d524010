"""The objects people hold: nouns with verbs."""
