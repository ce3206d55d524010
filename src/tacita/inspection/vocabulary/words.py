"""Words that mean nothing by themselves and yet tell what others mean."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that name whom a record is about: `patient id` says as much as `id`.
SUBJECTS = _set(
    "person patient pat cust emp subj resp pers holder owner worker staff personnel driver "
    "passenger pupil kunden personal personen mitglied mitglieder schuler teilnehmer befragte "
    "befragter befragten proband inhaber benutzer klanten werknemer lid kunder medlem deltagare "
    "deltaker socio miembro membre adherent assure salarie propietario proprietaire "
    "proprietario customer client user employee member subject respondent participant student "
    "citizen resident individual firm enterprise establishment unit record row case kunde mandant "
    "mitarbeiter nutzer personne employe utilisateur eleve persona cliente paciente usuario "
    "empleado alumno pessoa funcionario aluno paziente utente dipendente studente persoon klant "
    "medewerker gebruiker patienten osoba klient pacjent pracownik uzytkownik uczen kund anvandare "
    "elev pasient bruker ansatt bruger medarbejder full complete"
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
# Words that say that something is numbered.
NUMBERING = _set("id number no nr num nummer numero numer code kennung identifier identifiant")
# Those of them that come before what they number, as in `numero_client`; `number` counts there.
NUMBERING_FIRST = _set("id nr numero numer nummer identifiant")
# Words for what people belong to or what is counted through, not for people: their numbers are
# shared by many.
GROUPS = _set(
    "site center centre hospital clinic ward unit school class classroom university college course "
    "firm company enterprise establishment employer branch store shop plant department division "
    "team facility provider station region area zone district county municipality city town "
    "village block tract cluster psu stratum country state province product item category sector "
    "brand model batch lot wave visit round week day month quarter year period session episode "
    "line row page question version sequence seq schule klasse klinik krankenhaus betrieb filiale "
    "abteilung standort kreis gemeinde land produkt artikel welle woche monat jahr runde "
    "ecole classe hopital etablissement entreprise magasin produit vague semaine jour mois annee "
    "escuela clase centro empresa tienda producto ola semana dia mes escola loja produto scuola "
    "ospedale azienda negozio prodotto ondata settimana ziekenhuis bedrijf winkel afdeling "
    "vestiging szkola szpital firma sklep skola sjukhus foretag butik avdelning skole sykehus "
    "bedrift butikk sygehus virksomhed afdeling"
)
# Words that end a name and say that it is about a kind or a number of things, not about the thing.
KINDS_OF = _set(
    "type category status kind flag indicator consent permission quality count visit present "
    "available known verified typ art kategorie einwilligung qualitat anzahl vorhanden tipo "
    "categoria consentimiento calidad soort toestemming rodzaj zgoda samtycke samtykke"
)
# Words that begin a name and say that the answer is yes or no.
YES_OR_NO = _set("has is had was have hat ist tiene heeft har")
# Words that end compounds in German, Dutch and the languages of Scandinavia.
COMPOUND_HEADS = (
    "nummer", "nr", "name", "naam", "namn", "navn", "adresse", "adress", "adres", "diagnose",
    "diagnos", "einkommen", "inkomen", "inkomst", "inntekt", "indkomst", "lohn", "gehalt",
    "salaris", "umsatz", "omzet", "datum", "alter", "leeftijd", "alder", "beruf", "beroep", "yrke",
    "klasse", "gruppe", "grupp", "groep", "kontakt", "zip",
)  # fmt: skip
# Endings that number a word which is known: `caseno`, `custid`.
NUMBERED = ("no", "id", "num")
# Words that ask what people think, in whatever they are asked about.
OPINIONS = _set(
    "satisfied satisfaction agree important worried trust think feel likely zufrieden wichtig "
    "vertrauen finden meinung satisfait satisfaite important pensez satisfecho satisfecha "
    "importante opina soddisfatto soddisfatta tevreden belangrijk zadowolony zadowolona nojd "
    "fornoyd tilfreds"
)
