"""Who may find people in surveys of persons and households, and in samples of a census."""

from __future__ import annotations

from tacita.intruders.accuracy import Accuracy
from tacita.intruders.scenario import Held, Scenario

HOUSEHOLD_SURVEY = (
    Scenario(
        domain="household_survey",
        name="nosy_neighbour",
        who="a neighbour or acquaintance who recognizes somebody",
        source="personal knowledge of about 150 people",
        why="What can be seen is known: sex, household, home; age to a few years; occupation and "
        "schooling from talk, and sometimes wrongly.",
        reference="Elliot & Dale, Netherlands Official Statistics 14:6-10, 1999; Hundepool et al., "
        "Statistical Disclosure Control, Wiley, 2012",
        holds=(
            Held("sex"),
            Held("age", Accuracy(absolute_error=2)),
            Held("birth_date", Accuracy(unit="year", wrong=0.2)),
            Held("marital_status", Accuracy(wrong=0.05)),
            Held("family", Accuracy(wrong=0.05)),
            Held("ethnicity", Accuracy(wrong=0.05)),
            Held("nationality", Accuracy(wrong=0.05)),
            Held("occupation", Accuracy(wrong=0.15)),
            Held("education", Accuracy(wrong=0.25)),
            Held("city"),
            Held("region"),
            Held("postcode"),
        ),
        respondents=150,
        in_file=None,
    ),
    Scenario(
        domain="household_survey",
        name="response_knowledge",
        who="a relative, guest or interviewer who knows that somebody took part",
        source="having been there, or having been told",
        why="Whoever knows that a target is in the file need not fear a double outside it: a "
        "record that is unique in the sample is the target's. Relatives know nearly everything "
        "exactly.",
        reference="Bethlehem, Keller & Pannekoek, JASA 85(409):38-45, 1990; Elliot & Dale, "
        "Netherlands Official Statistics 14:6-10, 1999",
        holds=(
            Held("sex"),
            Held("age"),
            Held("birth_date"),
            Held("marital_status"),
            Held("family"),
            Held("ethnicity"),
            Held("nationality"),
            Held("occupation", Accuracy(wrong=0.05)),
            Held("education", Accuracy(wrong=0.05)),
            Held("city"),
            Held("region"),
            Held("postcode"),
            Held("income", Accuracy(relative_error=0.2)),
        ),
        respondents=5,
    ),
    Scenario(
        domain="household_survey",
        name="population_register",
        who="an authority, or whoever got hold of its files",
        source="a register of all residents",
        why="Registers hold birth, sex, marital status, citizenship and home of nearly everybody; "
        "who moved lately is out of date.",
        reference="Hundepool et al., Statistical Disclosure Control, Wiley, 2012 (external archive "
        "scenario); Benedetti & Franconi, NTTS 1998",
        holds=(
            Held("sex"),
            Held("age"),
            Held("birth_date"),
            Held("marital_status"),
            Held("nationality"),
            Held("city"),
            Held("region"),
            Held("postcode"),
        ),
        respondents=0.98,
    ),
    Scenario(
        domain="household_survey",
        name="commercial_database",
        who="a data broker who wants to enrich a marketing file",
        source="a commercial database of consumers, part of it guessed",
        why="Experiments with real data found that values in two sources differ for many of the "
        "same people, so that most matches were wrong; income is a guess and household often "
        "missing. The shares here are assumptions of that order.",
        reference="Blien, Wirth & Mueller, Statistica Neerlandica 46(1):69-82, 1992; Mueller, "
        "Blien & Wirth, Sociological Methods & Research 24(2):131-157, 1995",
        holds=(
            Held("sex", Accuracy(wrong=0.01)),
            Held("age", Accuracy(absolute_error=1, wrong=0.05)),
            Held("birth_date", Accuracy(wrong=0.1)),
            Held("marital_status", Accuracy(wrong=0.15)),
            Held("family", Accuracy(wrong=0.2)),
            Held("city", Accuracy(wrong=0.1)),
            Held("region", Accuracy(wrong=0.05)),
            Held("postcode", Accuracy(wrong=0.1)),
            Held("income", Accuracy(relative_error=0.3, missing=0.3)),
        ),
        respondents=0.5,
    ),
    Scenario(
        domain="household_survey",
        name="intruder_test",
        who="people who are invited to try, as statistical offices do before a release",
        source="the internet, social media and what they know of friends and family",
        why="In the tests of the United Kingdom's Office for National Statistics, volunteers "
        "claimed to have found people by age, sex, work and place, and were often wrong. A team "
        "looks for some fifty people (an assumption).",
        reference="Spicer, Tudor & Cornish, UNECE Work Session on Statistical Data "
        "Confidentiality, Ottawa, 2013; Elliot, Mackey, O'Hara & Tudor, The Anonymisation "
        "Decision-Making Framework, UKAN, 2016",
        holds=(
            Held("sex"),
            Held("age", Accuracy(absolute_error=1)),
            Held("birth_date", Accuracy(unit="year", wrong=0.1)),
            Held("marital_status", Accuracy(wrong=0.1)),
            Held("family", Accuracy(wrong=0.1)),
            Held("ethnicity", Accuracy(wrong=0.05)),
            Held("occupation", Accuracy(wrong=0.2)),
            Held("education", Accuracy(wrong=0.2)),
            Held("city"),
            Held("region"),
        ),
        respondents=50,
        in_file=None,
    ),
)
