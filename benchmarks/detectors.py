"""How much the detectors find, how often they are wrong, and how long they take.

Files are made in nine languages by the generators below; nothing is read. Each kind of content is
planted in a column of short answers: in one value, in 1, 5 and 20 % of the records, and in all.
Clean columns hold amounts, codes, dates, diseases, activities, postcodes, occupations, towns and
answers. Intervals are Wilson's, at 95 %. Run: `python benchmarks/detectors.py`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterator
from math import sqrt
from random import Random

import pyarrow as pa

from measuring import clock
from tacita.inspection.columns import column_of
from tacita.inspection.detectors import Values, detections, detectors
from tacita.inspection.detectors.national_number import validator

RECORDS, REPEATS, CLEAN_REPEATS = 1_000, 10, 25
RATES = (("1 value", 0.0), ("1 %", 0.01), ("5 %", 0.05), ("20 %", 0.2), ("100 %", 1.0))
Z = 1.959964
Make = Callable[[Random, str], str]

# Given names (the last two of each language are rare), family names, streets, titles, towns.
PEOPLE: dict[str, dict[str, str]] = {
    "en": {
        "given": "James Mary Linda Robert Susan Kevin Emma Jack Tarquin Ottoline",
        "family": "Smith Jones Taylor Brown Wilson Evans Walker Hughes Clarke Pemberton",
        "street": "{n} Oak Street|{n} Mill Road|{n} Station Avenue|{n}b King Lane",
        "title": "Mr Mrs Ms Dr",
        "phone": "+44 20 7946 0{q}|020 7946 0{q}|(775) 555-0{q}|775-555-0{q}",
        "born": "born {d}.{m}.{y}|DOB {m}/{d}/{y}|born on {d} March {y}",
        "note": "She said that her {w} was late again|He wants to move to another {w} soon"
        "|was told by the {w} that nothing can be done",
        "town": "Leeds|Bath|New York|San Diego|Salt Lake City|Bristol",
        "job": "nurse|machine operator|primary school teacher|clerk|sales assistant|lorry driver",
        "answer": "none|ok|don't know|refused|not applicable|very satisfied",
    },
    "de": {
        "given": "Hans Ursula Petra Klaus Sabine Lukas Anna Felix Eberhardine Wunibald",
        "family": "Huber Müller Schmidt Weber Wagner Bauer Gruber Steiner Maier Moser",
        "street": "Hauptstraße {n}|Lindenweg {n}|Am Alten Platz {n}|Bahnhofstr. {n}a",
        "title": "Frau Herr Dr. Prof.",
        "phone": "+43 664 123{p}|0664 123{p}|0664/123{p}|(030) 123 {p}",
        "born": "geb. {d}.{m}.{y}|geboren am {d}.{m}.{y}|*{d}.{m}.{y}",
        "note": "Sie hat ihren {w} nicht gefunden|Er wohnt jetzt bei seinem {w} in der Stadt"
        "|wurde vom {w} nach Hause gebracht",
        "town": "Wien|Graz|Frankfurt am Main|Bad Ischl|Sankt Pölten|Köln",
        "job": "Koch|Krankenpflegerin|Lehrer an Volksschulen|Bürokraft|Maschinenschlosser|Bäcker",
        "answer": "keine|ok|weiß nicht|verweigert|trifft nicht zu|sehr zufrieden",
    },
    "fr": {
        "given": "Pierre Nathalie Isabelle Michel Camille Louis Manon Hugo Ysaline Gonzague",
        "family": "Dupont Martin Bernard Dubois Moreau Laurent Girard Roux Fournier Lambert",
        "street": "{n} rue de la Paix|{n} avenue Foch|{n} bis rue Victor Hugo|{n}, place du Marché",
        "title": "Mme M. Monsieur Madame",
        "phone": "+33 6 12 34 {a} {b}|06 12 34 {a} {b}|01.42.68.{a}.{b}|0033 6 12 34 {a} {b}",
        "born": "né le {d}/{m}/{y}|née le {d} mars {y}|naissance : {d}.{m}.{y}",
        "note": "Elle a dit que son {w} est parti|Il ne veut pas revenir avec sa {w} demain"
        "|habite chez son {w} depuis deux ans",
        "town": "Lyon|Saint-Denis|Le Mans|Aix-en-Provence|Nice|La Rochelle",
        "job": "infirmière|professeur des écoles|cuisinier|employé de bureau|chauffeur|boulanger",
        "answer": "aucun|ok|ne sait pas|refus|sans objet|très satisfait",
    },
    "es": {
        "given": "Antonio Carmen Lucía Manuel Marta Javier Pablo Elena Nicanor Eufemia",
        "family": "García Martínez López Sánchez Pérez Gómez Ruiz Díaz Soler Romero",
        "street": "Calle Mayor {n}|Avenida de la Paz {n}|Plaza Nueva {n}|C/ Alta, {n}",
        "title": "Sr. Sra. Don Doña",
        "phone": "+34 612 34 {a} {b}|tel. 61234{a}{b}|0034 612 34 {a} {b}|móvil 612 34 {a} {b}",
        "born": "nacido el {d}/{m}/{y}|nacida el {d} de marzo de {y}|nacimiento: {d}-{m}-{y}",
        "note": "Ella dice que su {w} no tiene tiempo|vive con su {w} desde hace un año"
        "|No quiere hablar de su {w} con el médico",
        "town": "Reus|San Sebastián|Las Palmas|Santa Cruz|Madrid|La Coruña",
        "job": "enfermera|maestro de primaria|cocinero|auxiliar de oficina|conductor|panadero",
        "answer": "ninguno|ok|no sabe|no contesta|no procede|muy satisfecho",
    },
    "it": {
        "given": "Giuseppe Maria Giulia Paolo Chiara Luca Francesca Marco Ermenegildo Perpetua",
        "family": "Rossi Russo Ferrari Bianchi Romano Colombo Ricci Marino Greco Conti",
        "street": "Via Roma {n}|Viale dei Mille {n}|Piazza Garibaldi {n}|Corso Italia, {n}",
        "title": "Sig. Signora Dott. Sig.ra",
        "phone": "+39 347 12 {p}|tel. 347 123{p}|0039 347 12 {p}|tel 34712{p}",
        "born": "nato il {d}/{m}/{y}|nata il {d} marzo {y}|nascita: {d}.{m}.{y}",
        "note": "Lei dice che suo {w} non viene|abita con il suo {w} da due anni"
        "|vuole parlare del suo {w} con il medico",
        "town": "Roma|San Remo|La Spezia|Reggio Emilia|Torino|Santa Maria",
        "job": "infermiera|insegnante|cuoco|impiegato d'ufficio|autista|panettiere",
        "answer": "nessuno|ok|non so|rifiuta|non pertinente|molto soddisfatto",
    },
    "pl": {
        "given": "Piotr Anna Katarzyna Tomasz Agnieszka Jan Zofia Adam Świętopełk Kunegunda",
        "family": "Nowak Kowalski Wiśniewski Wójcik Kamiński Lewandowski Zieliński Szymański",
        "street": "ul. Długa {n}|ul. Jana Pawła {n}|al. Wolności {n}|os. Zielone {n}",
        "title": "Pan Pani dr Pani",
        "phone": "+48 601 234 {q}|tel. 601 234 {q}|0048 601 234 {q}|dzwonić 601234{q}",
        "born": "ur. {d}.{m}.{y}|urodzony {d}.{m}.{y}|urodzona {d} marca {y}",
        "note": "Ona mówi że jej {w} nie przyjdzie|mieszka ze swoim {w} od dwóch lat i nie pracuje"
        "|chce rozmawiać o swoim {w} z lekarzem",
        "town": "Kraków|Nowy Sącz|Zielona Góra|Bielsko-Biała|Gdańsk|Nowa Huta",
        "job": "pielęgniarka|nauczyciel|kucharz|pracownik biurowy|kierowca|piekarz",
        "answer": "brak|ok|nie wiem|odmowa|nie dotyczy|bardzo zadowolony",
    },
    "nl": {
        "given": "Jan Maria Sanne Pieter Femke Daan Lotte Bram Wolfert Godelieve",
        "family": "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks",
        "street": "Kerkstraat {n}|Dorpsweg {n}|Prinsengracht {n}|Stationsplein {n}",
        "title": "dhr. mevr. Mevrouw Meneer",
        "phone": "+31 6 1234{p}|06 1234{p}|020 123 {p}|0031 6 1234{p}",
        "born": "geboren {d}-{m}-{y}|geb. {d}-{m}-{y}|geboortedatum {d}.{m}.{y}",
        "note": "Zij zegt dat haar {w} niet komt|woont met zijn {w} in een kleine flat"
        "|wil met de arts over zijn {w} praten",
        "town": "Utrecht|Den Haag|Bergen op Zoom|Alphen aan den Rijn|Breda|Ede",
        "job": "verpleegkundige|leraar basisonderwijs|kok|kantoormedewerker|chauffeur|bakker",
        "answer": "geen|ok|weet niet|weigert|niet van toepassing|zeer tevreden",
    },
    "sv": {
        "given": "Lars Anna Karin Erik Linnea Nils Astrid Gunnar Torgny Ragnhild",
        "family": "Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson",
        "street": "Storgatan {n}|Kungsvägen {n}|Skolgatan {n}|Drottninggatan {n}",
        "title": "Herr Fru Fröken Dr.",
        "phone": "+46 70 123 {a} {b}|070 123 {a} {b}|08/123 {a} {b}|0046 70 123 {a} {b}",
        "born": "född {y}-{m}-{d}|f. {d}.{m}.{y}|född den {d} mars {y}",
        "note": "Hon säger att hennes {w} inte kommer|bor med sin {w} och han arbetar inte"
        "|vill prata om sin {w} med läkaren men kan inte",
        "town": "Lund|Södertälje|Gamla Stan|Östersund|Malmö|Borås",
        "job": "sjuksköterska|grundskollärare|kock|kontorist|lastbilschaufför|bagare",
        "answer": "ingen|ok|vet inte|vägrar|ej aktuellt|mycket nöjd",
    },
    "pt": {
        "given": "João Ana Inês Tiago Beatriz Nuno Mariana Rui Hermenegilda Policarpo",
        "family": "Silva Santos Ferreira Pereira Oliveira Costa Rodrigues Martins Sousa",
        "street": "Rua Augusta {n}|Avenida da Liberdade {n}|Praça Velha {n}|Travessa Nova {n}",
        "title": "Sr. Sra. Dona Senhor",
        "phone": "+351 912 345 {q}|tel. 912345{q}|00351 912 345 {q}|telefone: 912 345 {q}",
        "born": "nascido em {d}/{m}/{y}|nascida a {d} de março de {y}|nascimento {d}-{m}-{y}",
        "note": "Ela disse que o seu {w} não vem|mora com a sua {w} e não trabalha"
        "|quer falar do seu {w} com o médico",
        "town": "Lisboa|Vila Real|São João|Porto|Santa Maria|Viana do Castelo",
        "job": "enfermeira|professor|cozinheiro|empregado de escritório|motorista|padeiro",
        "answer": "nenhum|ok|não sabe|recusa|não se aplica|muito satisfeito",
    },
}
WORDS = "brother son neighbour 12 ward Katze Haus auto voisin tante gatto perro dom hond katt irmã"
NATIONAL = {
    "en": ("gb.nhs", "0000000000"),
    "de": ("de.idnr", "00000000000"),
    "fr": ("nir", "000000000000000"),
    "es": ("es.dni", "00000000A"),
    "it": ("it.codicefiscale", "AAAAAA00A00A000A"),
    "pl": ("pl.pesel", "00000000000"),
    "nl": ("nl.bsn", "000000000"),
    "sv": ("se.personnummer", "000000-0000"),
    "pt": ("pt.nif", "000000000"),
}


def pick(random: Random, language: str, word: str) -> str:
    parts = PEOPLE[language][word]
    return random.choice(parts.split("|") if "|" in parts else parts.split())


def filled(random: Random, pattern: str) -> str:
    return pattern.format(
        n=random.randrange(1, 200),
        p=f"{random.randrange(1000, 9999)}",
        q=f"{random.randrange(100, 999)}",
        a=f"{random.randrange(10, 99)}",
        b=f"{random.randrange(10, 99)}",
        d=random.randrange(1, 29),
        m=random.randrange(1, 13),
        y=random.randrange(1930, 2010),
        w=random.choice(WORDS.split()),
    )


def person(random: Random, language: str) -> str:
    given, family = pick(random, language, "given"), pick(random, language, "family")
    title = pick(random, language, "title")
    return random.choice((f"{given} {family}", f"{family}, {given}", f"{title} {family}"))


def e_mail(random: Random, language: str) -> str:
    return f"{pick(random, language, 'given').lower()}{random.randrange(99)}@mail.example"


def url(random: Random, language: str) -> str:  # noqa: ARG001
    return random.choice(("https://", "www.")) + f"site{random.randrange(999)}.example/p"


def ip(random: Random, language: str) -> str:  # noqa: ARG001
    if random.random() < 0.3:
        return f"2001:db8::{random.randrange(2**16):x}:{random.randrange(2**16):x}"
    return ".".join(str(random.randrange(256)) for _ in range(4))


def mac(random: Random, language: str) -> str:  # noqa: ARG001
    return ":".join(f"{random.randrange(256):02x}" for _ in range(6))


def iban(random: Random, language: str) -> str:  # noqa: ARG001
    account = f"{random.randrange(10**18):018d}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def card(random: Random, language: str) -> str:  # noqa: ARG001
    while True:
        number = f"4{random.randrange(10**15):015d}"
        if validator("luhn")(number):
            grouped = " ".join(number[at : at + 4] for at in range(0, 16, 4))
            return random.choice((number, grouped))


def national(random: Random, language: str) -> str:
    module, form = NATIONAL[language]
    while True:
        number = _some_number(random, module, form)
        if validator(module)(number):
            return number


def _some_number(random: Random, module: str, form: str) -> str:
    """Draw digits, with a date where the scheme has one, so that one is right soon."""
    day = dt.date(1930, 1, 1) + dt.timedelta(days=random.randrange(25_000))
    signs = "".join(
        str(random.randrange(10)) if sign == "0" else random.choice("ABCDEFGHLMPRST")
        if sign == "A" else sign
        for sign in form
    )  # fmt: skip
    if module in ("pl.pesel", "se.personnummer"):
        return f"{day:%y%m%d}{signs[6:]}"
    if module == "nir":
        body = f"{random.choice('12')}{day:%y%m}{random.randrange(1, 96):02d}{signs[7:13]}"
        return f"{body}{97 - int(body) % 97:02d}"
    if module == "it.codicefiscale":
        return f"{signs[:6]}{day:%y}{random.choice('ABCDEHLMPRST')}{day:%d}{signs[11:]}"
    if module == "de.idnr":
        digits = random.sample("123456789", 9)
        return "".join(digits) + random.choice(digits) + signs[10]
    return signs


def from_pattern(word: str) -> Make:
    return lambda random, language: filled(random, pick(random, language, word))


def remark(random: Random, language: str) -> str:
    note = filled(random, pick(random, language, "note"))
    return f"{note}, {filled(random, pick(random, language, 'note')).lower()}"


PLANTED: dict[str, Make] = {
    "birth_date": from_pattern("born"),
    "device_address": mac,
    "email": e_mail,
    "free_text": remark,
    "iban": iban,
    "ip_address": ip,
    "national_number": national,
    "payment_card": card,
    "person_name": person,
    "postal_address": from_pattern("street"),
    "telephone": from_pattern("phone"),
    "url": url,
}


def planted(random: Random, language: str, make: Make, rate: float) -> list[str]:
    answers = [pick(random, language, "answer") for _ in range(RECORDS)]
    for at in random.sample(range(RECORDS), max(1, round(rate * RECORDS))):
        answers[at] = make(random, language)
    return answers


def wilson(hits: int, trials: int) -> str:
    share = hits / trials
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z * sqrt(share * (1 - share) / trials + (Z / (2 * trials)) ** 2) / (1 + Z * Z / trials)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{100 * share:.0f} % ({100 * low:.0f}-{100 * high:.0f})"


def detected(values: list[object]) -> set[str]:
    return {one.detector for one in detections(Values(column_of("x", pa.array(values))))}


def recall(name: str, make: Make, rate: float) -> tuple[str, Counter[str]]:
    hits, missed = 0, Counter[str]()
    for language in PEOPLE:
        for repeat in range(REPEATS):
            random = Random(f"{name} {language} {rate} {repeat}")
            found = name in detected([*planted(random, language, make, rate)])
            hits += found
            missed[language] += not found
    return wilson(hits, len(PEOPLE) * REPEATS), missed


def record_numbers(random: Random) -> list[object]:
    start = random.randrange(10**6)
    kind = random.randrange(4)
    if kind == 0:
        return [*range(start, start + RECORDS)]
    if kind == 1:
        return [f"P-{n:05d}" for n in range(start % 9999, start % 9999 + RECORDS)]
    if kind == 2:
        return [random.randrange(10**8, 10**9) for _ in range(RECORDS)]
    return [start + 3 * n + random.randrange(3) for n in range(RECORDS)]


def household_numbers(random: Random) -> list[object]:
    sizes = random.choices(range(1, 7), (36, 31, 14, 12, 5, 2), k=RECORDS)
    number, numbers = random.randrange(10**5), []
    for size in sizes:
        number += random.choice((1, 1, 1, 2, 5))
        numbers += [number] * size
    return numbers[:RECORDS]


def clean_columns(random: Random, language: str) -> Iterator[tuple[str, list[object]]]:
    """Yield columns in which nothing identifies."""

    def many(make: Callable[[], object]) -> list[object]:
        return [make() for _ in range(RECORDS)]

    day = dt.date(2001, 1, 1)
    letters = "ABCDEFGHIJKLMNOPRSTUVZ"
    yield "amounts", many(lambda: round(random.lognormvariate(9, 1)))
    yield "large amounts", many(lambda: round(random.lognormvariate(20, 1)))
    yield "decimals", many(lambda: f"{random.lognormvariate(5, 1):.2f}".replace(".", ","))
    yield "dates", many(lambda: (day + dt.timedelta(random.randrange(9999))).strftime("%d.%m.%Y"))
    yield "days", many(lambda: day + dt.timedelta(random.randrange(9999)))
    yield "times", many(lambda: f"{random.randrange(24):02d}:{random.randrange(60):02d}:00")
    yield "time stamps", many(lambda: 1_500_000_000 + random.randrange(10**8))
    yield (
        "diseases",
        many(lambda: f"{random.choice(letters)}{random.randrange(99):02d}.{random.randrange(10)}"),
    )
    yield "activities", many(lambda: f"{random.randrange(1, 99):02d}.{random.randrange(99):02d}")
    yield "consumption", many(lambda: ".".join(str(random.randrange(1, 9)) for _ in range(4)))
    yield "postcodes", many(lambda: f"{random.choice(range(10000, 99999, 37)):05d}")
    yield "regions", many(lambda: f"{random.choice(letters)}{random.randrange(1, 9)}")
    yield "ages", many(lambda: random.randrange(100))
    yield "years", many(lambda: random.randrange(1930, 2024))
    yield "weights", many(lambda: random.uniform(1, 500))
    yield "scale", many(lambda: random.randrange(1, 11))
    yield "shares", many(lambda: f"{random.randrange(101)} %")
    yield "intervals", many(lambda: f"{(low := random.randrange(0, 90, 10))}-{low + 9}")
    yield "products of 9 digits", many(lambda: f"{random.choice(range(10**8, 10**9, 9**7))}")
    yield "products of 11 digits", many(lambda: f"{random.choice(range(10**10, 10**11, 9**9))}")
    yield "barcodes", many(lambda: f"40{random.randrange(200) * 7919:010d}7")
    yield "answers", many(lambda: pick(random, language, "answer"))
    yield "occupations", many(lambda: pick(random, language, "job"))
    yield "towns", many(lambda: pick(random, language, "town"))
    yield (
        "household income",
        [round(random.lognormvariate(10, 1)) for _ in range(RECORDS // 2) for _ in range(2)],
    )


def print_recall() -> None:
    print("| detector | " + " | ".join(word for word, _ in RATES) + " |")
    print("| --- |" + " --- |" * len(RATES))
    for name, make in PLANTED.items():
        cells = [recall(name, make, rate) for _, rate in RATES]
        print(f"| `{name}` | " + " | ".join(told for told, _ in cells) + " |", flush=True)
        missed = {k: v for k, v in sum((m for _, m in cells), Counter()).items() if v}
        if missed:
            print(f"<!-- missed by language: {missed} -->")
    trials = len(PEOPLE) * REPEATS
    for name, make_all in (
        ("record_number", record_numbers),
        ("household_number", household_numbers),
    ):
        hits = sum(name in detected(make_all(Random(f"{name} {n}"))) for n in range(trials))
        print(f"| `{name}` |" + " |" * (len(RATES) - 1) + f" {wilson(hits, trials)} |")


def print_false_alarms() -> None:
    alarms, where, columns = Counter[str](), Counter[tuple[str, str]](), 0
    for language in PEOPLE:
        for repeat in range(CLEAN_REPEATS):
            for what, values in clean_columns(Random(f"clean {language} {repeat}"), language):
                columns += 1
                for name in detected(values):
                    alarms[name] += 1
                    where[name, what] += 1
    print(f"\n{columns:,} clean columns\n\n| detector | false alarms |\n| --- | --- |")
    for name in detectors():
        print(f"| `{name}` | {alarms[name]} of {columns:,}: {wilson(alarms[name], columns)} |")
    for (name, what), times in where.most_common():
        print(f"<!-- {name} in {what}: {times} -->")


def print_time() -> None:
    global RECORDS  # noqa: PLW0603 - the generators make columns of this length
    RECORDS = 100_000
    columns = dict(list(clean_columns(Random(1), "de"))[:17])
    columns |= {
        f"text {n}": [remark(Random(7 * n + k), "en") + f" {k}" for k in range(RECORDS)]
        for n in range(3)
    }
    counted = [column_of(name, pa.array(values)) for name, values in columns.items()]
    took = clock(lambda: [detections(Values(column)) for column in counted])
    seconds = f"{took['wall']:.1f} seconds, {took['cpu']:.1f} of the processor"
    print(f"\n{RECORDS:,} records in {len(counted)} columns: {seconds}")


if __name__ == "__main__":
    print_recall()
    print_false_alarms()
    print_time()
