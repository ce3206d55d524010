"""What names mean, in many languages, by their words and never by parts of words."""

import pytest

from tacita.inspection.names import meaning, words
from tacita.inspection.vocabulary import CONCEPTS, HIPAA

NAMED = {
    "person_name": "first_name lastName Vorname prénom apellido sobrenome cognome achternaam nazwisko efternamn",
    "email": "email E-Mail courriel correo_electronico posta_elettronica e-post",
    "phone": "phone Telefonnummer telefono telefone telefoon mobil",
    "fax": "fax Faxnummer télécopie",
    "address": "address Straße rue calle rua indirizzo straat ulica gatuadress",
    "city": "city Wohnort ville ciudad cidade comune woonplaats miasto kommun",
    "postcode": "zip ZIPCode PLZ code_postal codigoPostal kod_pocztowy postnummer",
    "birth_date": "dob dateOfBirth Geburtsdatum date_de_naissance fecha_nacimiento data_nascimento data_di_nascita geboortedatum data_urodzenia födelsedatum fødselsdato",
    "age": "age Alter edad idade età leeftijd wiek ålder",
    "sex": "sex gender Geschlecht sexe género sesso geslacht płeć kjønn",
    "marital_status": "marital_status Familienstand état_civil estado_civil stato_civile burgerlijke_staat stan_cywilny sivilstand",
    "education": "education Bildung diplôme estudios escolaridade istruzione opleiding wykształcenie utbildning",
    "occupation": "occupation Beruf métier profesión profissão professione beroep zawód yrke",
    "nationality": "nationality Staatsangehörigkeit nationalité nacionalidad nazionalità obywatelstwo medborgarskap",
    "ethnicity": "ethnicity race Ethnie etnia raza etniciteit",
    "religion": "religion Konfession religião religione godsdienst wyznanie",
    "income": "income Einkommen salaire sueldo rendimento reddito inkomen dochód inntekt",
    "diagnosis": "diagnosis Krankheit maladie enfermedad doença malattia ziekte choroba sjukdom",
    "national_id": "ssn DNI codice_fiscale BSN PESEL personnummer cpf",
    "account": "iban account_number Kontonummer numero_de_cuenta",
    "health_plan": "insurance_number Versichertennummer numéro_assuré",
    "certificate": "passport license_no Führerschein",
    "vehicle": "vin license_plate Kennzeichen matrícula",
    "device": "device_id IMEI Seriennummer macAddress",
    "ip_address": "ip IPAddress client_ip",
    "url": "url homepage",
    "photo": "photo Foto",
    "biometric": "fingerprint Fingerabdruck",
    "medical_record": "mrn medicalRecordNumber patient_no Fallnummer",
    "sampling_weight": "sampling_weight wgt Gewichtungsfaktor",
    "household": "household_id HHID Haushalt hogar",
    "stratum": "stratum Schicht strate",
    "region": "region district NUTS2 Bundesland província",
    "employer": "employer Arbeitgeber entreprise",
    "sector": "nace_code NAICS Branche secteur",
}


@pytest.mark.parametrize("concept", NAMED)
def test_names_in_many_languages(concept):
    for name in NAMED[concept].split():
        found = meaning(name)
        assert found is not None, name
        assert found.concept.name == concept, name


COMPOUNDS = {
    "diagnosis": "Hauptdiagnose Nebendiagnose",
    "name": "Patientenname Kundenname klantnaam",
    "respondent_number": "Kundennummer Kundennr Personalnummer klantnummer kundnummer caseno custid",
    "phone": "Telefonnr Handynummer",
    "address": "Wohnadresse Rechnungsadresse",
    "email": "Emailadresse emailadres epostadress",
    "income": "Jahreseinkommen Nettoeinkommen Bruttolohn jaarinkomen årsinkomst Einkommensklasse",
    "birth_date": "Gebjahr",
    "age": "Altersklasse Lebensalter Altersgruppe",
    "medical_record": "Patientennummer",
}


@pytest.mark.parametrize("concept", COMPOUNDS)
def test_the_last_word_of_a_compound_decides(concept):
    for name in COMPOUNDS[concept].split():
        assert meaning(name) is not None, name
        assert meaning(name).concept.name == concept, name


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("employee_number", "respondent_number"),
        ("staff_id", "respondent_number"),
        ("numero_client", "respondent_number"),
        ("number_of_employees", "size_class"),
        ("numero_empleados", "size_class"),
        ("hospital_no", "employer"),
        ("tax_number", "national_id"),
        ("nom_marital", "person_name"),
        ("nom_usuel", "person_name"),
        ("Arzt", "related_person"),
        ("next_of_kin", "related_person"),
        ("beneficiario", "related_person"),
        ("contact_date", "event_date"),
        ("mother_age", "age"),
        ("password", "login"),
        ("timestamp_ms", "time"),
        ("northing", "grid_coordinate"),
    ],
)
def test_numbers_of_persons_and_other_persons(name, concept):
    assert meaning(name).concept.name == concept


@pytest.mark.parametrize(
    "name",
    [
        "has_phone",
        "email_consent",
        "account_type",
        "address_type",
        "image_quality",
        "website_visits",
        "is_photo",
    ],
)
def test_kinds_and_answers_are_no_identifiers(name):
    assert meaning(name) is None


def test_a_question_for_an_opinion_decides_nothing():
    assert meaning("v11", "Wie zufrieden sind Sie mit Ihrem Einkommen?") is None
    assert meaning("v11", "How satisfied are you with your income?") is None
    assert meaning("v11", "What is your sex?").concept.name == "sex"


@pytest.mark.parametrize(
    "name", ["page", "stage", "package", "message", "sexton", "shipment", "cagey"]
)
def test_a_word_inside_another_means_nothing(name):
    assert meaning(name) is None


def test_words_are_parted_and_folded():
    assert words("home-Phone_2nd") == ("home", "phone", "nd")
    assert words("HTTPServerName") == ("http", "server", "name")
    assert words("Größe") == ("grosse",)
    assert words("numéro de sécurité sociale") == ("numero", "securite", "sociale")


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("state_tax", "income"),
        ("tax_region", "region"),
        ("age_at_diagnosis", "age"),
        ("city_name", "city"),
        ("patient_name", "name"),
        ("birth_weight", "body"),
        ("email_address", "email"),
        ("ip_address", "ip_address"),
        ("household_income", "income"),
        ("ethncty", "ethnicity"),
    ],
)
def test_the_head_of_a_name_decides(name, concept):
    assert meaning(name).concept.name == concept


def test_a_label_speaks_where_the_name_does_not():
    found = meaning("v17", "Date of birth of the respondent")
    assert (found.concept.name, found.by) == ("birth_date", "label")
    assert meaning("id_3", "Sex of the respondent").concept.name == "sex"
    assert meaning("id_3", "Name of the respondent").concept.name == "id"
    assert meaning("age", "Income").by == "name"
    assert meaning("v17", None) is None


@pytest.mark.parametrize("name", ["", "123", "年齢", "возраст", "ηλικία", "🙂", "_"])
def test_any_script_is_read(name):
    assert meaning(name) is None


def test_every_hipaa_identifier_is_some_concept():
    assert {concept.hipaa for concept in CONCEPTS} - {""} == set(HIPAA)
    assert sorted(HIPAA) == [chr(65 + n) for n in range(18)]


def test_no_phrase_stands_in_two_concepts():
    seen = {}
    for concept in CONCEPTS:
        for phrase in concept.words.split(","):
            other = seen.setdefault(words(phrase), concept.name)
            assert other == concept.name, phrase
