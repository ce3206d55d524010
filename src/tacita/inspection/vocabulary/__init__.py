"""What the names of attributes mean: words in the languages of Europe, and HIPAA's identifiers.

The words are data: one `Concept` a meaning, its words parted by commas, English first, then German,
French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Norwegian and Danish where they
differ. Words are written without accents, because names are compared without them.
"""

from __future__ import annotations

from tacita.inspection.vocabulary.concept import HIPAA, Concept, hipaa_mention
from tacita.inspection.vocabulary.confidential import CONFIDENTIAL
from tacita.inspection.vocabulary.identifiers import CONTACTS, NAMES, NUMBERS
from tacita.inspection.vocabulary.keys import KEYS, SAMPLE

__all__ = ["CONCEPTS", "HIPAA", "Concept", "hipaa_mention"]

CONCEPTS = (*NAMES, *CONTACTS, *NUMBERS, *SAMPLE, *KEYS, *CONFIDENTIAL)
