"""What the names of attributes mean: words in the languages of Europe, and HIPAA's identifiers.

The words are data: one `Concept` a meaning, its words parted by commas, English first, then German,
French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Norwegian and Danish where they
differ. Words are written without accents, because names are compared without them.
"""

from __future__ import annotations

from typing import NamedTuple

from tacita.data.attribute import Role

# The identifiers that the safe harbor of 45 CFR 164.514(b)(2)(i) has removed, by their letters.
HIPAA = {
    "A": "names",
    "B": "geographic subdivisions smaller than a state",
    "C": "dates except the year, and ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "electronic mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and license numbers",
    "L": "vehicle identifiers and serial numbers",
    "M": "device identifiers and serial numbers",
    "N": "web addresses (URLs)",
    "O": "internet protocol (IP) addresses",
    "P": "biometric identifiers",
    "Q": "full-face photographs and comparable images",
    "R": "any other unique identifying number, characteristic or code",
}


def hipaa_mention(letter: str) -> str:
    """Return the mention of a HIPAA identifier in a sentence, or nothing.

    >>> hipaa_mention("F")
    ' (HIPAA F: electronic mail addresses)'
    """
    return f" (HIPAA {letter}: {HIPAA[letter]})" if letter else ""


class Concept(NamedTuple):
    """A meaning that a name can have.

    Args:
        name: what it is called here.
        what: what it is called in a sentence.
        role: the role of an attribute that means it.
        words: the words and phrases that mean it, parted by commas.
        hipaa: the letter of the HIPAA identifier it is, or nothing.
        coded: whether whole numbers are codes, not amounts.
        vague: whether the words say little unless they are all there is, or the values agree.
    """

    name: str
    what: str
    role: Role
    words: str
    hipaa: str = ""
    coded: bool = True
    vague: bool = False


NAMES = (
    Concept(
        "person_name",
        "the name of a person",
        Role.IDENTIFIER,
        "first name, last name, full name, middle name, given name, family name, maiden name, "
        "firstname, lastname, fullname, forename, surname, initials, name first, name last, "
        "username, user name, vorname, nachname, familienname, geburtsname, prenom, "
        "nom famille, nom naissance, nom complet, apellido, apellidos, nombre completo, "
        "primer apellido, nome completo, sobrenome, apelido, cognome, voornaam, achternaam, "
        "familienaam, imie, nazwisko, fornamn, efternamn, fornavn, etternavn, efternavn, etunimi, "
        "sukunimi",
        "A",
    ),
    Concept(
        "name",
        "a name",
        Role.IDENTIFIER,
        "name, nom, nombre, nome, naam, nazwa, namn, navn, nimi",
        "A",
        vague=True,
    ),
)

CONTACTS = (
    Concept(
        "email",
        "an e-mail address",
        Role.IDENTIFIER,
        "email, e mail, email address, e mail address, mail address, courriel, "
        "correo electronico, correo, posta elettronica, "
        "epost, e post, poczta elektroniczna, mailadresse, mejl, adres email",
        "F",
    ),
    Concept(
        "fax",
        "a fax number",
        Role.IDENTIFIER,
        "fax, telefax, faxnummer, telecopie, telecopieur, faks",
        "E",
    ),
    Concept(
        "phone",
        "a telephone number",
        Role.IDENTIFIER,
        "phone, telephone, mobile, cell phone, cellphone, tel, phone number, telefon, handy, "
        "telefonnummer, mobilnummer, portable, numero telephone, telefono, movil, celular, "
        "telefone, telemovel, cellulare, telefoon, telefoonnummer, mobiel, numer telefonu, "
        "komorka, mobil, msisdn, puhelin",
        "D",
    ),
    Concept(
        "ip_address",
        "an IP address",
        Role.IDENTIFIER,
        "ip, ip address, ipaddress, ipv, ip adresse, adresse ip, direccion ip, endereco ip, "
        "indirizzo ip, adres ip, ip adres, ip adress",
        "O",
    ),
    Concept(
        "url",
        "a web address",
        Role.IDENTIFIER,
        "url, uri, website, web site, homepage, web address, webseite, site web, sitio web, "
        "pagina web, sito web, strona www, hemsida, hjemmeside, profile link",
        "N",
    ),
    Concept(
        "address",
        "a postal address",
        Role.IDENTIFIER,
        "address, street, street address, house number, housenumber, addr, adresse, strasse, "
        "hausnummer, anschrift, rue, voie, direccion, calle, domicilio, endereco, rua, morada, "
        "indirizzo, adres, straat, huisnummer, ulica, adress, gata, gatuadress, gateadresse, vej, "
        "osoite",
        "B",
    ),
)

NUMBERS = (
    Concept(
        "national_id",
        "a social security or national identity number",
        Role.IDENTIFIER,
        "ssn, social security, social security number, nino, national insurance, "
        "national insurance number, national id, identity number, id card, tin, tax id, "
        "steuer id, steuernummer, steueridentifikationsnummer, steuerid, "
        "sozialversicherungsnummer, rentenversicherungsnummer, personalausweis, ausweisnummer, "
        "svnr, ahv, ahvnr, nir, numero securite sociale, securite sociale, nss, dni, nie, nif, "
        "curp, rfc, numero seguridad social, cedula, cpf, numero contribuinte, "
        "cartao cidadao, codice fiscale, codicefiscale, bsn, burgerservicenummer, "
        "rijksregisternummer, numero national, niss, pesel, dowod osobisty, nip, personnummer, "
        "personnr, fodselsnummer, fodselsnr, cpr, cprnr, cpr nummer, hetu, henkilotunnus",
        "G",
    ),
    Concept(
        "health_plan",
        "a health plan or insurance number",
        Role.IDENTIFIER,
        "insurance number, insurance id, insurance no, policy number, policy no, "
        "beneficiary number, beneficiary id, health plan, member number, medicare number, "
        "medicaid number, nhs number, nhs no, nhsnumber, health insurance number, health card, "
        "versichertennummer, versicherungsnummer, versicherungsnr, krankenkassennummer, "
        "krankenversichertennummer, numero assurance, numero assure, carte vitale, "
        "numero poliza, tarjeta sanitaria, numero apolice, numero utente, cartao sus, "
        "tessera sanitaria, numero polizza, polisnummer, verzekeringsnummer, numer polisy, "
        "numer ubezpieczenia, forsakringsnummer, forsikringsnummer",
        "I",
    ),
    Concept(
        "medical_record",
        "a medical record number",
        Role.IDENTIFIER,
        "medical record, medical record number, mrn, chart number, hospital number, "
        "patient number, patient no, case number, encounter number, admission number, patnr, "
        "patientennummer, fallnummer, aktenzeichen, numero dossier, dossier medical, ipp, "
        "historia clinica, numero historia, nhc, numero prontuario, prontuario, "
        "cartella clinica, numero cartella, patientnummer, dossiernummer, numer pacjenta, "
        "historia choroby, journalnummer, pasientnummer",
        "H",
    ),
    Concept(
        "account",
        "an account or card number",
        Role.IDENTIFIER,
        "account, account number, account no, iban, bank account, credit card, card number, "
        "creditcard, bic, swift, konto, kontonummer, kontonr, kreditkarte, kreditkartennummer, "
        "numero compte, compte bancaire, carte bancaire, numero cuenta, cuenta bancaria, "
        "tarjeta credito, numero conta, conta bancaria, cartao credito, numero conto, "
        "conto corrente, carta credito, rekeningnummer, bankrekening, numer konta, "
        "numer rachunku, karta kredytowa, bankkonto",
        "J",
    ),
    Concept(
        "vehicle",
        "a vehicle's number or plate",
        Role.IDENTIFIER,
        "vin, license plate, licence plate, number plate, numberplate, plate number, "
        "vehicle id, vehicle identification number, vehicle number, vehicle registration, "
        "kennzeichen, kfz kennzeichen, nummernschild, fahrgestellnummer, immatriculation, "
        "plaque immatriculation, matricula, placa, numero bastidor, targa, telaio, kenteken, "
        "chassisnummer, numer rejestracyjny, nummerplaat, registreringsnummer, nummerplate",
        "L",
    ),
    Concept(
        "certificate",
        "a certificate, licence or passport number",
        Role.IDENTIFIER,
        "license, licence, license number, licence number, driver license, driving licence, "
        "certificate number, certificate no, passport, passport number, fuhrerschein, "
        "fuehrerschein, reisepass, passnummer, zulassungsnummer, permis conduire, passeport, "
        "numero permis, pasaporte, licencia conducir, permiso conducir, passaporte, "
        "carta conducao, cnh, passaporto, patente, paspoort, paspoortnummer, rijbewijs, "
        "paszport, prawo jazdy, korkort, forerkort, korekort, pass nummer",
        "K",
    ),
    Concept(
        "device",
        "a device's number",
        Role.IDENTIFIER,
        "device, device id, device identifier, serial number, serial no, serialnumber, imei, "
        "imsi, udid, mac, mac address, macaddress, gerat, geraet, geratenummer, seriennummer, "
        "mac adresse, numero serie, appareil, dispositivo, numero serial, numero seriale, "
        "matricola, serienummer, apparaat, numer seryjny, urzadzenie, enhet, enhedsnummer",
        "M",
    ),
    Concept(
        "biometric",
        "a biometric identifier",
        Role.IDENTIFIER,
        "biometric, fingerprint, finger print, voiceprint, voice print, iris scan, retina, "
        "face scan, genome, dna, biometrie, biometrisch, fingerabdruck, empreinte, "
        "empreinte digitale, huella, huella dactilar, biometria, impressao digital, "
        "impronta, impronta digitale, vingerafdruk, odcisk palca, fingeravtryck, fingeravtrykk, "
        "fingeraftryk",
        "P",
    ),
    Concept(
        "photo",
        "a photograph",
        Role.IDENTIFIER,
        "photo, photograph, picture, image, portrait, avatar, selfie, foto, bild, lichtbild, "
        "passbild, photographie, fotografia, imagen, imagem, immagine, afbeelding, zdjecie, "
        "bilde, billede, kuva",
        "Q",
    ),
    Concept(
        "id",
        "an identifying number or code",
        Role.IDENTIFIER,
        "id, uid, uuid, guid, identifier, key id, rec id, record number, kennung, kennnummer, "
        "identifikator, identifiant, identificador, identificativo, identificatie, "
        "identyfikator, lopnummer, lopenummer, lobenummer",
        "R",
        vague=True,
    ),
)

SAMPLE = (
    Concept(
        "sampling_weight",
        "a sampling weight",
        Role.WEIGHT,
        "sampling weight, sample weight, survey weight, design weight, person weight, pweight, "
        "perwt, wgt, wt, weight factor, expansion factor, calibration weight, stichprobengewicht, "
        "gewichtungsfaktor, hochrechnungsfaktor, poids sondage, ponderation, factor expansion, "
        "ponderacion, factor ponderacion, fator expansao, ponderador, peso campionario, "
        "coefficiente riporto, weegfactor, ophoogfactor, waga probkowa, urvalsvikt, "
        "designvekt, opregningsfaktor, final weight, household weight, weighting",
        coded=False,
    ),
    Concept(
        "weight",
        "a weight",
        Role.WEIGHT,
        "weight, gewicht, poids, peso, waga, vikt, vekt, vaegt, paino",
        coded=False,
    ),
    Concept(
        "household",
        "a household's number",
        Role.HOUSEHOLD,
        "household, household id, household number, household no, hh id, hhid, hid, hhnr, "
        "family id, "
        "dwelling id, haushalt, haushaltsnummer, haushaltsnr, haushalt id, menage, id menage, "
        "numero menage, foyer, hogar, id hogar, numero hogar, domicilio id, agregado familiar, "
        "agregado, nucleo familiare, famiglia id, huishouden, huishoudnummer, "
        "gospodarstwo domowe, gospodarstwo, hushall, hushallsid, husholdning, husstand",
    ),
    Concept(
        "stratum",
        "a sampling stratum",
        Role.STRATUM,
        "stratum, strata, psu, sampling stratum, schicht, stichprobenschicht, strate, estrato, "
        "strato, steekproefstratum, warstwa",
    ),
)

KEYS = (
    Concept(
        "postcode",
        "a postcode",
        Role.KEY,
        "zip, zip code, zipcode, postcode, post code, postal code, postalcode, plz, postleitzahl, "
        "code postal, codepostal, cp, codigo postal, cep, cap, codice postale, codice avviamento, "
        "kod pocztowy, postnummer, postnr, postinumero",
        "B",
    ),
    Concept(
        "coordinate",
        "a geographic coordinate",
        Role.KEY,
        "latitude, longitude, lat, lon, lng, long, latitud, longitud, breitengrad, langengrad, "
        "laengengrad, latitudine, longitudine, breedtegraad, lengtegraad, szerokosc geograficzna, "
        "dlugosc geograficzna, coordinate, coordinates, koordinaten, coordonnees, coordenadas, "
        "geo point, geolocation, gps",
        "B",
        coded=False,
    ),
    Concept(
        "birth_date",
        "a date or year of birth",
        Role.KEY,
        "birth date, date birth, birthdate, birthday, dob, birth year, year birth, birthyear, "
        "yob, birth, born, birth month, geburtsdatum, geburtstag, geburtsjahr, gebdat, gebdatum, "
        "date naissance, naissance, annee naissance, fecha nacimiento, nacimiento, "
        "ano nacimiento, data nascimento, nascimento, ano nascimento, data nascita, nascita, "
        "anno nascita, geboortedatum, geboortejaar, geboren, data urodzenia, rok urodzenia, "
        "urodzenia, fodelsedatum, fodelsear, fodselsdato, fodselsar, fodselsdag, syntymaaika",
        "C",
        coded=False,
    ),
    Concept(
        "event_date",
        "a date of an event in a person's life",
        Role.KEY,
        "admission date, date admission, discharge date, date discharge, death date, date death, "
        "dod, visit date, date visit, service date, diagnosis date, surgery date, event date, "
        "admission, admitted, adm, discharge, discharged, death, died, hire date, hired, "
        "marriage date, wedding, aufnahmedatum, entlassungsdatum, sterbedatum, todesdatum, "
        "eintrittsdatum, date entree, date sortie, date deces, deces, fecha ingreso, fecha alta, "
        "fecha defuncion, defuncion, data internamento, data alta, data obito, obito, "
        "data ricovero, data dimissione, data morte, opnamedatum, ontslagdatum, overlijdensdatum, "
        "data przyjecia, data wypisu, data zgonu, inskrivningsdatum, utskrivningsdatum, dodsdatum, "
        "innleggelsesdato, utskrivningsdato, dodsdato, indlaeggelsesdato, udskrivningsdato",
        "C",
        coded=False,
    ),
    Concept(
        "age",
        "an age",
        Role.KEY,
        "age, alter, altersgruppe, age group, age class, age band, edad, idade, eta, leeftijd, "
        "wiek, alder, aldersgruppe, aldersgrupp, ika",
        coded=False,
    ),
    Concept(
        "sex",
        "sex or gender",
        Role.KEY,
        "sex, gender, geschlecht, sexe, genre, sexo, genero, sesso, genere, geslacht, plec, kon, "
        "kjonn, koen, sukupuoli",
    ),
    Concept(
        "marital_status",
        "the marital status",
        Role.KEY,
        "marital, marital status, marstat, marriage, married, civil status, familienstand, "
        "etat civil, situation matrimoniale, matrimonial, estado civil, stato civile, "
        "burgerlijke staat, burgerlijkestaat, stan cywilny, civilstand, sivilstand, civilstatus, "
        "civil",
    ),
    Concept(
        "education",
        "education",
        Role.KEY,
        "education, educ, education level, schooling, school, degree, qualification, bildung, "
        "bildungsabschluss, schulabschluss, ausbildung, diplome, niveau etudes, etudes, "
        "formation, educacion, estudios, nivel estudios, educacao, escolaridade, istruzione, "
        "titolo studio, opleiding, opleidingsniveau, wyksztalcenie, utbildning, "
        "utbildningsniva, utdanning, uddannelse, isced",
    ),
    Concept(
        "occupation",
        "an occupation",
        Role.KEY,
        "occupation, profession, job, job title, isco, soc code, workclass, work class, "
        "employment status, employment, labour status, labor force status, beruf, tatigkeit, "
        "taetigkeit, metier, emploi, csp, ocupacion, profesion, empleo, profissao, ocupacao, "
        "emprego, professione, occupazione, impiego, beroep, functie, arbeidspositie, zawod, "
        "stanowisko, yrke, sysselsattning, stilling, erhverv, beskaeftigelse",
    ),
    Concept(
        "nationality",
        "nationality, citizenship or place of birth",
        Role.KEY,
        "nationality, citizenship, citizen, country birth, birth country, birthplace, birth place, "
        "place birth, native country, country origin, nationalitat, nationalitaet, "
        "staatsangehorigkeit, staatsangehoerigkeit, staatsburgerschaft, geburtsort, geburtsland, "
        "herkunftsland, nationalite, citoyennete, pays naissance, lieu naissance, nacionalidad, "
        "ciudadania, pais nacimiento, lugar nacimiento, nacionalidade, cidadania, naturalidade, "
        "pais nascimento, nazionalita, cittadinanza, luogo nascita, paese nascita, "
        "nationaliteit, geboorteland, geboorteplaats, narodowosc, obywatelstwo, kraj urodzenia, "
        "miejsce urodzenia, nationalitet, medborgarskap, fodelseland, statsborgerskap, fodeland, "
        "statsborgerskab, fodested",
    ),
    Concept(
        "ethnicity",
        "ethnicity or race",
        Role.KEY,
        "ethnicity, ethnic, ethnic group, race, skin colour, skin color, ethnie, ethnische, "
        "ethnizitat, herkunft, origine ethnique, etnia, etnicidad, raza, raca, razza, "
        "etniciteit, etniczna, rasa, etnicitet, hispanic, tribe, mother tongue, native language, "
        "muttersprache, langue maternelle, lengua materna, lingua materna, moedertaal, "
        "jezyk ojczysty, modersmal, morsmal",
    ),
    Concept(
        "city",
        "a town or municipality",
        Role.KEY,
        "city, town, municipality, village, commune, locality, location, place residence, "
        "residence, ort, stadt, gemeinde, wohnort, ville, lieu, ciudad, municipio, localidad, "
        "poblacion, cidade, concelho, freguesia, citta, comune, paese residenza, residenza, "
        "plaats, stad, gemeente, woonplaats, miasto, gmina, miejscowosc, kommun, kommune, "
        "poststed, kunta",
        "B",
    ),
    Concept(
        "region",
        "a region",
        Role.KEY,
        "region, district, county, province, state, nuts, area, neighbourhood, neighborhood, "
        "census tract, tract, block group, precinct, canton, department, geo, bundesland, "
        "kreis, landkreis, bezirk, kanton, regierungsbezirk, departement, arrondissement, "
        "quartier, comunidad autonoma, provincia, comarca, distrito, barrio, regiao, estado, "
        "bairro, regione, quartiere, regio, provincie, wijk, buurt, wojewodztwo, powiat, "
        "dzielnica, lan, fylke, bydel, amt, landsdel, urban, rural, urbanicity, urbrur, "
        "urban rural, land, country, pays, pais, kraj",
        "B",
    ),
    Concept(
        "family",
        "the size of the family",
        Role.KEY,
        "household size, family size, hhsize, number children, children, haushaltsgrosse, "
        "haushaltsgroesse, kinderzahl, kinder, "
        "anzahl kinder, taille menage, nombre enfants, enfants, tamano hogar, hijos, "
        "numero hijos, tamanho agregado, filhos, numero figli, figli, huishoudgrootte, kinderen, "
        "wielkosc gospodarstwa, dzieci, hushallsstorlek, barn, antal barn, antall barn",
        coded=False,
    ),
    Concept(
        "relationship",
        "a person's place in the family",
        Role.KEY,
        "relationship, relat, relation head, household type, family type, stellung haushalt, "
        "verwandtschaft, lien parente, parentesco, relazione parentela, gezinspositie, "
        "stopien pokrewienstwa, familjestallning, familiestilling",
    ),
    Concept(
        "employer",
        "an employer or organisation",
        Role.KEY,
        "employer, company, firm, organisation, organization, workplace, hospital, clinic, "
        "facility, provider, school id, arbeitgeber, firma, unternehmen, krankenhaus, klinik, "
        "employeur, entreprise, hopital, empleador, empresa, hospital id, empregador, "
        "datore lavoro, azienda, ospedale, werkgever, bedrijf, ziekenhuis, pracodawca, "
        "przedsiebiorstwo, szpital, arbetsgivare, foretag, sjukhus, arbeidsgiver, bedrift, "
        "sykehus, arbejdsgiver, virksomhed, sygehus, holding, department id",
    ),
    Concept(
        "sector",
        "an economic sector",
        Role.KEY,
        "sector, industry, nace, naics, isic, sic, ateco, cnae, naf, cae, pkd, sni, branche, "
        "wirtschaftszweig, wz, secteur, activite, code ape, ape, sector actividad, "
        "actividad economica, setor, atividade economica, settore, attivita economica, "
        "bedrijfstak, sbi, branza, sekcja, bransch, naring, naering, branchekode",
    ),
    Concept(
        "size_class",
        "the size of an organisation",
        Role.KEY,
        "size class, employees, number employees, staff, headcount, grossenklasse, "
        "groessenklasse, beschaftigte, beschaeftigte, mitarbeiterzahl, effectif, salaries, "
        "empleados, numero empleados, trabalhadores, dipendenti, addetti, werknemers, "
        "grootteklasse, pracownicy, liczba pracownikow, anstallda, antal anstallda, ansatte, "
        "antall ansatte, antal ansatte",
        coded=False,
    ),
    Concept(
        "stay",
        "the length of a stay",
        Role.KEY,
        "length stay, los, verweildauer, liegedauer, duree sejour, estancia, dias estancia, "
        "tempo internamento, durata degenza, ligduur, opnameduur, dlugosc pobytu, vardtid, "
        "liggetid, liggedage",
        coded=False,
    ),
    Concept(
        "time",
        "a time",
        Role.KEY,
        "date, datetime, timestamp, time, year, month, quarter, qtr, week, datum, zeit, "
        "zeitpunkt, jahr, monat, quartal, uhrzeit, heure, annee, mois, trimestre, fecha, hora, "
        "ano, mes, data, anno, mese, tijd, jaar, maand, kwartaal, rok, miesiac, kwartal, czas, "
        "tid, ar, manad, maned, dato, maaned, created, updated",
        "C",
        vague=True,
        coded=False,
    ),
)

CONFIDENTIAL = (
    Concept(
        "diagnosis",
        "a diagnosis or disease",
        Role.CONFIDENTIAL,
        "diagnosis, diagnose, diagnoses, diag, dx, icd, disease, illness, condition, disorder, "
        "krankheit, erkrankung, diagnostic, maladie, diagnostico, enfermedad, doenca, malattia, "
        "diagnosi, ziekte, aandoening, diagnoza, choroba, sjukdom, sykdom, sygdom, cause death",
    ),
    Concept(
        "health",
        "health",
        Role.CONFIDENTIAL,
        "health, treatment, medication, drug, drugs, therapy, procedure, symptom, blood, "
        "blood group, hiv, pregnancy, pregnant, disability, "
        "disabled, handicap, smoker, smoking, alcohol, mental, allergy, test result, lab, "
        "cholesterol, glucose, gesundheit, behandlung, medikament, blutgruppe, "
        "behinderung, schwangerschaft, raucher, sante, traitement, "
        "medicament, grossesse, fumeur, salud, tratamiento, medicamento, discapacidad, "
        "embarazo, saude, tratamento, deficiencia, gravidez, salute, "
        "trattamento, farmaco, gravidanza, disabilita, gezondheid, behandeling, "
        "medicijn, zwangerschap, zdrowie, leczenie, ciaza, niepelnosprawnosc, halsa, behandling, "
        "lakemedel, graviditet, helse, legemiddel, helbred, medicin",
        coded=False,
    ),
    Concept(
        "body",
        "the measures of a body",
        Role.CONFIDENTIAL,
        "height, bmi, body mass, body mass index, body weight, birth weight, blood pressure, "
        "grosse, groesse, korpergrosse, koerpergroesse, korpergewicht, blutdruck, taille, "
        "tension arterielle, altura, estatura, presion arterial, pressao arterial, altezza, "
        "pressione sanguigna, lengte, lichaamslengte, bloeddruk, wzrost, cisnienie krwi, langd, "
        "blodtryck, hoyde, blodtrykk, hojde, blodtryk",
        coded=False,
    ),
    Concept(
        "income",
        "income or wealth",
        Role.CONFIDENTIAL,
        "income, salary, wage, wages, earnings, pay, payment, revenue, turnover, profit, sales, "
        "tax, taxes, debt, loan, credit, balance, asset, assets, wealth, savings, expenditure, "
        "expend, expenses, benefit, benefits, pension, charge, charges, price, cost, costs, "
        "amount, contribution, employer contribution, investment, investments, dividend, "
        "dividends, interest, salary class, "
        "einkommen, gehalt, lohn, verdienst, umsatz, gewinn, steuer, schulden, vermogen, "
        "vermoegen, rente, ausgaben, revenu, salaire, remuneration, chiffre affaires, benefice, "
        "impot, dette, patrimoine, epargne, retraite, depenses, ingreso, ingresos, renta, "
        "salario, sueldo, facturacion, beneficio, impuesto, deuda, patrimonio, ahorro, gasto, "
        "gastos, rendimento, ordenado, receita, lucro, imposto, divida, poupanca, despesa, "
        "reddito, stipendio, salaire net, fatturato, utile, imposta, debito, risparmio, spesa, "
        "inkomen, loon, salaris, omzet, winst, belasting, schuld, vermogen bruto, spaargeld, "
        "dochod, dochody, wynagrodzenie, pensja, obrot, zysk, podatek, dlug, majatek, "
        "inkomst, omsattning, vinst, skatt, skuld, formogenhet, inntekt, lonn, omsetning, "
        "overskudd, gjeld, formue, indkomst, omsaetning, overskud, skat, gaeld",
        coded=False,
    ),
    Concept(
        "religion",
        "religion or belief",
        Role.CONFIDENTIAL,
        "religion, religious, faith, belief, denomination, church, konfession, "
        "religionszugehorigkeit, glaube, croyance, confession, creencia, crenca, religiao, "
        "religione, fede, geloof, godsdienst, religia, wyznanie, trossamfund",
    ),
    Concept(
        "politics",
        "political opinion or union membership",
        Role.CONFIDENTIAL,
        "political, politics, party, vote, voted, union, union member, trade union, partei, "
        "gewerkschaft, parti, vote parti, syndicat, partido, voto, sindicato, partito, "
        "sindacato, partij, vakbond, partia, zwiazek zawodowy, parti politik, "
        "fackforening, fagforening",
    ),
    Concept(
        "sexuality",
        "sexual life or orientation",
        Role.CONFIDENTIAL,
        "sexual orientation, sexuality, orientation, sexual, sexuelle orientierung, "
        "orientation sexuelle, orientacion sexual, orientacao sexual, orientamento sessuale, "
        "seksuele geaardheid, orientacja seksualna, sexuell laggning, seksuell legning, "
        "seksuel orientering",
    ),
    Concept(
        "offence",
        "offences or convictions",
        Role.CONFIDENTIAL,
        "offence, offense, crime, conviction, criminal, arrest, sentence, straftat, "
        "verurteilung, infraction, condamnation, delito, condena, crime tipo, condenacao, reato, "
        "condanna, misdrijf, veroordeling, przestepstwo, wyrok, brott, lovbrudd, forbrydelse",
    ),
)

CONCEPTS = (*NAMES, *CONTACTS, *NUMBERS, *SAMPLE, *KEYS, *CONFIDENTIAL)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that name whom a record is about: `patient id` says as much as `id`.
SUBJECTS = _set(
    "person patient customer client user employee member subject respondent participant student "
    "citizen resident individual firm enterprise establishment unit record row case kunde "
    "mandant mitarbeiter nutzer personne employe utilisateur eleve persona cliente paciente "
    "usuario empleado alumno pessoa funcionario aluno paziente utente dipendente studente persoon "
    "klant medewerker gebruiker patienten osoba klient pacjent pracownik uzytkownik uczen kund "
    "anvandare elev pasient bruker ansatt bruger medarbejder full complete"
)
# Words that join others and mean nothing by themselves.
LINKS = _set(
    "of the a an in at to for and or de du des d l la le les el las del di da do dos das "
    "dello della van het der die das den dem von zum zur im il lo i av af og och w z na"
)
# Words that say that whole numbers count something.
COUNTS = _set(
    "count number num n anzahl nombre numero liczba aantal antal antall hours hour days day years "
    "year minute km kg percent pct share rate ratio score index"
)
# Words that say that whole numbers are codes.
CODES = _set(
    "code type category status kind flag indicator typ kategorie art statut categorie tipo "
    "categoria stato codigo codice soort rodzaj kod kode"
)
# Words that say that whole numbers are the steps of a scale, whatever is put in classes.
STEPS = _set(
    "class group level grade band decile quintile quartile rank klasse gruppe stufe rang classe "
    "groupe niveau clase grupo nivel grau gruppo livello groep klasa grupa poziom grupp niva"
)
