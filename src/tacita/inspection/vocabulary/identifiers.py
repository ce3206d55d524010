"""Words for what identifies: names, ways to reach a person, numbers."""

from __future__ import annotations

from tacita.data.attribute import Role
from tacita.inspection.vocabulary.concept import Concept

NAMES = (
    Concept(
        "person_name",
        "the name of a person",
        Role.IDENTIFIER,
        "first name, last name, full name, middle name, given name, family name, maiden name, "
        "firstname, lastname, fullname, forename, surname, initials, name first, name last, "
        "vorname, nachname, familienname, geburtsname, prenom, "
        "nom famille, nom naissance, nom complet, apellido, apellidos, nombre completo, "
        "primer apellido, nome completo, sobrenome, apelido, cognome, voornaam, achternaam, "
        "familienaam, imie, nazwisko, fornamn, efternamn, fornavn, etternavn, efternavn, etunimi, "
        "sukunimi, nom usuel, nom marital, nom epouse, nom jeune fille, nombre apellidos, nickname",
        "A",
    ),
    Concept(
        "related_person",
        "the name of a person",
        Role.IDENTIFIER,
        "mother, father, parent, spouse, wife, husband, next kin, kin, guardian, contact, "
        "emergency contact, contact person, cardholder, account holder, holder, doctor, physician, "
        "gp, general practitioner, surgeon, mutter, vater, ehepartner, ehefrau, ehemann, "
        "arzt, hausarzt, ansprechpartner, notfallkontakt, kontakt, kontaktperson, kontoinhaber, "
        "mere, pere, conjoint, epouse, epoux, medecin, medecin traitant, titulaire, beneficiaire, "
        "madre, padre, conyuge, medico, titular, beneficiario, contacto, mae, pai, conjuge, "
        "contato, coniuge, intestatario, moeder, vader, echtgenoot, huisarts, matka, ojciec, "
        "lekarz, lakare, laege",
        "A",
        vague=True,
    ),
    Concept(
        "login",
        "what a person signs in with",
        Role.IDENTIFIER,
        "login, username, user name, screen name, password, passwort, kennwort, benutzername, "
        "token, access token, session token, mot passe, contrasena, usuario login, senha, "
        "wachtwoord, gebruikersnaam, haslo, losenord, passord, adgangskode, twitter, facebook, "
        "instagram, linkedin, skype",
        "R",
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
        "email, e mail, email address, e mail address, mail address, courriel, correo "
        "electronico, correo, posta elettronica, epost, e post, email adresse, email adres, email "
        "adress, epost adress, epost adresse, poczta elektroniczna, mailadresse, mejl, adres "
        "email",
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
        "phone, telephone, mobile, cell, cell phone, cellphone, contact number, contact no, tel, "
        "phone number, telefon, handy, telefonnummer, mobilnummer, handynummer, portable, numero "
        "telephone, telefono, movil, celular, telefone, telemovel, cellulare, telefoon, "
        "telefoonnummer, mobiel, numer telefonu, komorka, mobil, msisdn, puhelin",
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
        "address, street, street address, house number, house no, housenumber, nr domu, addr, "
        "adresse, strasse, hausnummer, anschrift, rue, voie, direccion, calle, domicilio, "
        "endereco, rua, morada, "
        "indirizzo, adres, straat, huisnummer, ulica, adress, gata, gatuadress, gateadresse, vej, "
        "osoite",
        "B",
    ),
)

RESPONDENT_NUMBER = Concept(
    "respondent_number",
    "the number of a respondent",
    Role.IDENTIFIER,
    "siren, siret, business number, barcode, udi, implant sn",
    "R",
)

NUMBERS = (
    RESPONDENT_NUMBER,
    Concept(
        "national_id",
        "a social security or national identity number",
        Role.IDENTIFIER,
        "ssn, social security, social security number, nino, national insurance, national "
        "insurance number, national id, identity number, id card, tin, tax id, tax number, tax "
        "no, steuer id, steuernummer, steueridentifikationsnummer, steuerid, "
        "sozialversicherungsnummer, rentenversicherungsnummer, personalausweis, ausweisnummer, "
        "svnr, ahv, ahvnr, nir, numero securite sociale, securite sociale, nss, dni, nie, nif, "
        "curp, rfc, numero seguridad social, cedula, cpf, numero contribuinte, cartao cidadao, "
        "codice fiscale, codicefiscale, bsn, burgerservicenummer, rijksregisternummer, numero "
        "national, niss, pesel, dowod osobisty, nip, personnummer, personnr, pnr, fnr, rvnr, "
        "regon, secu, numero secu, fodselsnummer, fodselsnr, cpr, cprnr, cpr nummer, hetu, "
        "henkilotunnus",
        "G",
    ),
    Concept(
        "health_plan",
        "a health plan or insurance number",
        Role.IDENTIFIER,
        "insurance number, insurance id, insurance no, policy number, policy no, beneficiary "
        "number, beneficiary id, health plan, policy, mbi, hicn, subscriber id, subscriber "
        "number, member number, medicare number, medicaid number, nhs number, nhs no, nhsnumber, "
        "health insurance number, health card, versichertennummer, versicherungsnummer, "
        "versicherungsnr, krankenkassennummer, krankenversichertennummer, numero assurance, "
        "numero assure, carte vitale, numero poliza, tarjeta sanitaria, numero apolice, numero "
        "utente, cartao sus, tessera sanitaria, numero polizza, polisnummer, verzekeringsnummer, "
        "numer polisy, numer ubezpieczenia, forsakringsnummer, forsikringsnummer",
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
        "account, account number, account no, acct, acct no, acct number, iban, bank account, "
        "credit card, card number, creditcard, bic, swift, konto, kontonummer, kontonr, "
        "kreditkarte, kreditkartennummer, numero compte, compte bancaire, carte bancaire, numero "
        "cuenta, cuenta bancaria, tarjeta credito, numero conta, conta bancaria, cartao credito, "
        "numero conto, conto corrente, carta credito, rekeningnummer, bankrekening, numer konta, "
        "numer rachunku, karta kredytowa, bankkonto",
        "J",
    ),
    Concept(
        "vehicle",
        "a vehicle's number or plate",
        Role.IDENTIFIER,
        "vin, license plate, licence plate, number plate, plate, plate no, numberplate, plate "
        "number, vehicle id, vehicle identification number, vehicle number, vehicle registration, "
        "kennzeichen, kfz kennzeichen, nummernschild, fahrgestellnummer, immatriculation, plaque "
        "immatriculation, matricula, placa, numero bastidor, targa, telaio, kenteken, "
        "chassisnummer, numer rejestracyjny, nummerplaat, registreringsnummer, nummerplate",
        "L",
    ),
    Concept(
        "certificate",
        "a certificate, licence or passport number",
        Role.IDENTIFIER,
        "license, licence, license number, licence number, driver license, driving licence, "
        "certificate number, certificate no, npi, dea, passport, passport number, fuhrerschein, "
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
        "face scan, faceprint, genome, dna, biometrie, biometrisch, fingerabdruck, empreinte, "
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
