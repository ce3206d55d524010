"""Who may find patients in hospital discharge data, registers and clinical studies."""

from __future__ import annotations

from tacita.intruders.accuracy import Accuracy
from tacita.intruders.scenario import Held, Scenario

HEALTH = (
    Scenario(
        domain="health",
        name="neighbour",
        who="a neighbour or colleague who knows that somebody was in hospital",
        source="personal knowledge of about 150 people and of where they were treated",
        why="What is seen from next door is known: sex, looks, household, home. Ages are guessed "
        "to a few years and dates remembered to the month. People keep up about 150 acquaintances "
        "(Dunbar's number), as El Emam takes it for the risk from acquaintances.",
        reference="El Emam, Guide to the De-Identification of Personal Health Information, CRC "
        "Press, 2013; Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016",
        holds=(
            Held("age", Accuracy(absolute_error=2)),
            Held("birth_date", Accuracy(unit="year", wrong=0.2)),
            Held("sex"),
            Held("ethnicity", Accuracy(wrong=0.05)),
            Held("marital_status", Accuracy(wrong=0.05)),
            Held("family", Accuracy(wrong=0.1)),
            Held("postcode"),
            Held("city"),
            Held("region"),
            Held("employer", Accuracy(wrong=0.1)),
            Held("event_date", Accuracy(unit="month", wrong=0.1)),
        ),
        respondents=150,
    ),
    Scenario(
        domain="health",
        name="hospital_staff",
        who="a member of the staff of a hospital who is curious about a known patient",
        source="the ward's lists and talk: who is there, since when, and why",
        why="Staff see age, sex and dates as they are recorded, and the diagnosis of those they "
        "treat, which another coder may have coded otherwise. One ward sees some 500 patients a "
        "year (an assumption).",
        reference="El Emam, Jonker, Arbuckle & Malin, PLoS ONE 6(12):e28071, 2011; Elliot & Dale, "
        "Netherlands Official Statistics 14:6-10, 1999",
        holds=(
            Held("age"),
            Held("birth_date"),
            Held("sex"),
            Held("ethnicity"),
            Held("postcode", Accuracy(missing=0.5)),
            Held("employer"),
            Held("event_date", Accuracy(unit="week")),
            Held("stay", Accuracy(absolute_error=0.5)),
            Held("diagnosis", Accuracy(wrong=0.2)),
        ),
        respondents=500,
    ),
    Scenario(
        domain="health",
        name="voter_list",
        who="a company or researcher who links whole files",
        source="a voter list or another public list of residents, with names",
        why="Such lists hold date of birth, sex and postcode as registered; who moved is out of "
        "date, and who is not registered is missing. That six in ten adults are listed is an "
        "assumption; it differs by country and state.",
        reference="Sweeney, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems "
        "10(5):557-570, 2002; Benitez & Malin, J Am Med Inform Assoc 17(2):169-177, 2010; Ciriani, "
        "De Capitani di Vimercati, Foresti & Samarati, Microdata Protection, 2007",
        holds=(
            Held("birth_date"),
            Held("age"),
            Held("sex"),
            Held("postcode", Accuracy(wrong=0.1)),
            Held("city", Accuracy(wrong=0.05)),
            Held("region", Accuracy(wrong=0.02)),
        ),
        respondents=0.6,
    ),
    Scenario(
        domain="health",
        name="news_reports",
        who="a journalist, employer or creditor who reads about an accident",
        source="newspaper stories about people who were taken to hospital",
        why="Stories tell name, age, home town, hospital, day and cause. In Washington State 81 "
        "stories of one year were found, and 35 of them matched one hospital record exactly.",
        reference="Sweeney, Matching known patients to health records in Washington State data, "
        "arXiv:1307.1370, 2013",
        holds=(
            Held("age"),
            Held("sex"),
            Held("city"),
            Held("region"),
            Held("postcode", Accuracy(missing=0.3)),
            Held("employer", Accuracy(missing=0.3)),
            Held("event_date", Accuracy(unit="month")),
            Held("diagnosis", Accuracy(wrong=0.3, missing=0.3)),
        ),
        respondents=81,
    ),
    Scenario(
        domain="health",
        name="insurer",
        who="an insurer or employer's health plan that looks for its members",
        source="claims: who was treated where and when, for how much",
        why="Claims are exact in dates and person; charges are what was claimed and may be cut "
        "later. That the plan has a fifth of all patients is an assumption.",
        reference="El Emam, Jonker, Arbuckle & Malin, PLoS ONE 6(12):e28071, 2011",
        holds=(
            Held("age"),
            Held("birth_date"),
            Held("sex"),
            Held("postcode"),
            Held("employer"),
            Held("event_date"),
            Held("stay"),
            Held("charge", Accuracy(relative_error=0.05), words="charge, cost, amount, price"),
        ),
        respondents=0.2,
    ),
)
