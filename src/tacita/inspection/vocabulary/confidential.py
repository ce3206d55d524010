"""Words for what a respondent does not want told."""

from __future__ import annotations

from tacita.data.attribute import Role
from tacita.inspection.vocabulary.concept import Concept

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
        "height, birthweight, bodyweight, overweight, bmi, body mass, body mass index, body "
        "weight, birth weight, blood pressure, grosse, groesse, korpergrosse, koerpergroesse, "
        "korpergewicht, blutdruck, taille, tension arterielle, altura, estatura, presion "
        "arterial, pressao arterial, altezza, pressione sanguigna, lengte, lichaamslengte, "
        "bloeddruk, wzrost, cisnienie krwi, langd, blodtryck, hoyde, blodtrykk, hojde, blodtryk",
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
        "dividends, interest, salary class, einkommen, gehalt, lohn, verdienst, umsatz, gewinn, "
        "steuer, schulden, vermogen, vermoegen, rente, ausgaben, revenu, salaire, remuneration, "
        "chiffre affaires, benefice, impot, dette, patrimoine, epargne, retraite, depenses, "
        "ingreso, ingresos, renta, salario, sueldo, facturacion, beneficio, impuesto, deuda, "
        "patrimonio, ahorro, gasto, gastos, rendimento, ordenado, receita, lucro, imposto, "
        "divida, poupanca, despesa, reddito, stipendio, salaire net, fatturato, utile, imposta, "
        "debito, risparmio, spesa, inkomen, loon, brutoloon, nettoloon, uurloon, salaris, omzet, "
        "winst, belasting, schuld, vermogen bruto, spaargeld, dochod, dochody, wynagrodzenie, "
        "pensja, obrot, zysk, podatek, dlug, majatek, inkomst, omsattning, vinst, skatt, skuld, "
        "formogenhet, inntekt, lonn, omsetning, overskudd, gjeld, formue, indkomst, omsaetning, "
        "overskud, skat, gaeld",
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
