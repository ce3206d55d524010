"""Words for what a sample survey needs, and for what others may know of a respondent."""

from __future__ import annotations

from tacita.data.attribute import Role
from tacita.inspection.vocabulary.concept import Concept

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
        "zip, zip code, zipcode, zcta, postal, postcode, post code, postal code, postalcode, plz, "
        "postleitzahl, "
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
        "grid_coordinate",
        "a coordinate on a map",
        Role.KEY,
        "easting, northing, rechtswert, hochwert, utm, x coord, y coord, x coordinate, "
        "y coordinate, coord x, coord y, lambert x, lambert y",
        "B",
        coded=False,
    ),
    Concept(
        "birth_date",
        "a date or year of birth",
        Role.KEY,
        "birth date, date birth, birthdate, birthday, dob, birth year, year birth, birthyear, "
        "yob, birth, born, birth month, geburtsdatum, geburtstag, geburtsjahr, gebdat, gebdatum, "
        "gebjahr, date naissance, naissance, annee naissance, fecha nacimiento, nacimiento, ano "
        "nacimiento, data nascimento, nascimento, ano nascimento, data nascita, nascita, anno "
        "nascita, geboortedatum, geboortejaar, geboren, data urodzenia, rok urodzenia, urodzenia, "
        "fodelsedatum, fodelsear, fodselsdato, fodselsar, fodselsdag, syntymaaika",
        "C",
        coded=False,
    ),
    Concept(
        "event_date",
        "a date of an event in a person's life",
        Role.KEY,
        "admission date, date admission, discharge date, date discharge, death date, date death, "
        "dod, visit date, date visit, service date, diagnosis date, surgery date, event date, "
        "admission, admitted, adm, discharge, discharged, death, died, hire date, hired, contact "
        "date, marriage date, wedding, aufnahmedatum, entlassungsdatum, sterbedatum, todesdatum, "
        "eintrittsdatum, date entree, date sortie, date deces, deces, fecha ingreso, fecha alta, "
        "fecha defuncion, defuncion, data internamento, data alta, data obito, obito, data "
        "ricovero, data dimissione, data morte, opnamedatum, ontslagdatum, overlijdensdatum, data "
        "przyjecia, data wypisu, data zgonu, inskrivningsdatum, utskrivningsdatum, dodsdatum, "
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
        "city, town, municipality, village, commune, locality, location, loc, place "
        "residence, "
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
        "ags, insee, lau, fips, teryt, region, district, county, province, state, nuts, area, "
        "neighbourhood, neighborhood, census tract, tract, block group, precinct, canton, "
        "department, geo, bundesland, kreis, landkreis, bezirk, kanton, regierungsbezirk, "
        "departement, arrondissement, quartier, comunidad autonoma, provincia, comarca, distrito, "
        "barrio, regiao, estado, bairro, regione, quartiere, regio, provincie, wijk, buurt, "
        "wojewodztwo, powiat, dzielnica, lan, fylke, bydel, amt, landsdel, urban, rural, "
        "urbanicity, urbrur, urban rural, land, country, pays, pais, kraj",
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
        "facility, provider, oshpd, school id, arbeitgeber, firma, unternehmen, krankenhaus, "
        "klinik, employeur, entreprise, hopital, empleador, empresa, hospital id, empregador, "
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
        "date, datetime, timestamp, timestamp ms, epoch, unix time, time, year, month, "
        "quarter, qtr, week, datum, zeit, "
        "zeitpunkt, jahr, monat, quartal, uhrzeit, heure, annee, mois, trimestre, fecha, hora, "
        "ano, mes, data, anno, mese, tijd, jaar, maand, kwartaal, rok, miesiac, kwartal, czas, "
        "tid, ar, manad, maned, dato, maaned, created, updated",
        "C",
        vague=True,
        coded=False,
    ),
)
