"""Who may find pupils and students in school records, test results and online courses."""

from __future__ import annotations

from tacita.intruders.accuracy import Accuracy
from tacita.intruders.scenario import Held, Scenario

SCHOOL = "school, schule, ecole, escuela, colegio, escola, scuola, szkola, skola, skole, university"
COURSE = "course, class, subject, programme, program, major, kurs, fach, cours, curso, corso"
MARK = "mark, grade, score, gpa, note, nota, voto, cijfer, ocena, betyg, karakter, result"
POSTS = "post, forum, comment, message"

EDUCATION = (
    Scenario(
        domain="education",
        name="classmate",
        who="a pupil or parent of the same class",
        source="sitting in the same room",
        why="The law in the United States asks whether a reasonable person in the school "
        "community, without personal knowledge of the relevant circumstances, could identify a "
        "student; a class has about 30. Marks are overheard, and not always rightly.",
        reference="Family Educational Rights and Privacy Act regulations, 34 CFR 99.3; Daries et "
        "al., Communications of the ACM 57(9):56-63, 2014",
        holds=(
            Held("sex"),
            Held("age"),
            Held("birth_date", Accuracy(unit="month", wrong=0.2)),
            Held("ethnicity", Accuracy(wrong=0.05)),
            Held("school", words=SCHOOL),
            Held("course", words=COURSE),
            Held("mark", Accuracy(wrong=0.3, missing=0.5), words=MARK),
            Held("city"),
            Held("postcode", Accuracy(missing=0.3)),
        ),
        respondents=30,
    ),
    Scenario(
        domain="education",
        name="school_staff",
        who="a teacher or officer of a school",
        source="the school's own records of its pupils",
        why="Records are exact; a teacher knows some 150 pupils a year (an assumption).",
        reference="Family Educational Rights and Privacy Act regulations, 34 CFR 99.3; Elliot & "
        "Dale, Netherlands Official Statistics 14:6-10, 1999",
        holds=(
            Held("sex"),
            Held("age"),
            Held("birth_date"),
            Held("ethnicity"),
            Held("nationality"),
            Held("school", words=SCHOOL),
            Held("course", words=COURSE),
            Held("mark", words=MARK),
            Held("city"),
            Held("postcode"),
        ),
        respondents=150,
    ),
    Scenario(
        domain="education",
        name="career_profiles",
        who="an employer or stranger who reads career profiles",
        source="profiles on a career network, which name courses and certificates",
        why="Students of online courses were re-identified in k-anonymous data by the courses they "
        "list on LinkedIn. Few list them all, ages are worked out from schooling, and that one in "
        "twenty has such a profile is an assumption.",
        reference="Cohen, Attacks on deidentification's defenses, USENIX Security 2022",
        holds=(
            Held("sex"),
            Held("age", Accuracy(absolute_error=1.5)),
            Held("birth_date", Accuracy(unit="year", wrong=0.4)),
            Held("education", Accuracy(wrong=0.1)),
            Held("region"),
            Held("nationality", Accuracy(wrong=0.2)),
            Held("course", Accuracy(missing=0.3), words=COURSE),
        ),
        respondents=0.05,
    ),
    Scenario(
        domain="education",
        name="group_event",
        who="somebody who saw what a whole group did on one day",
        source="a calendar, photographs or posts about a field trip, a test or a move",
        why="What a class did together shows in the time stamps of a learning system: a field trip "
        "was enough to find a school and its pupils in data without names. Days are exact.",
        reference="Yacobson, Fuhrman, Hershkovitz & Alexandron, Journal of Learning Analytics "
        "8(2):83-92, 2021",
        holds=(
            Held("sex"),
            Held("school", words=SCHOOL),
            Held("course", words=COURSE),
            Held("event_date"),
            Held("time", words="date, time, timestamp, day"),
            Held("posts", Accuracy(wrong=0.2), words=POSTS),
        ),
        respondents=30,
    ),
)
