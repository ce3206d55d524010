"""Who may find firms in business surveys, and what is public about firms."""

from __future__ import annotations

from tacita.intruders.accuracy import Accuracy
from tacita.intruders.scenario import Held, Scenario

SALES = "turnover, revenue, sales, umsatz, chiffre affaires, facturacion, fatturato, omzet, obrot"
PROFIT = "profit, gewinn, lucro, utile, winst, zysk, vinst, overskud, overskudd"

BUSINESS = (
    Scenario(
        domain="business",
        name="competitor",
        who="a firm that watches the firms it competes with",
        source="the trade: what a sector knows of its members",
        why="Activity, place and size are known to everybody in a trade; turnover is guessed to a "
        "tenth or two. A firm watches some twenty others (an assumption), the large ones, which "
        "are the rare ones in any file.",
        reference="Willenborg & de Waal, Elements of Statistical Disclosure Control, Springer, "
        "2001; Hundepool et al., Statistical Disclosure Control, Wiley, 2012",
        holds=(
            Held("sector"),
            Held("region"),
            Held("city"),
            Held("postcode"),
            Held("size_class", Accuracy(relative_error=0.1)),
            Held("turnover", Accuracy(relative_error=0.15), words=SALES),
        ),
        respondents=20,
    ),
    Scenario(
        domain="business",
        name="commercial_database",
        who="a data broker who matches whole files",
        source="a commercial database of firms, of the kind of MARKUS or Dun & Bradstreet",
        why="Matched with such a database, German business surveys were re-identified less than "
        "expected because activity codes, employees and turnover differ between the two for the "
        "same firm, and turnover is often missing. The shares here are assumptions of that order.",
        reference="Lenz, Journal of Official Statistics 22(4):681-710, 2006; Brand, Bender & "
        "Kohaut, Statistical Data Confidentiality, Eurostat, 1999",
        holds=(
            Held("sector", Accuracy(wrong=0.2)),
            Held("region", Accuracy(wrong=0.02)),
            Held("city", Accuracy(wrong=0.05)),
            Held("postcode", Accuracy(wrong=0.1)),
            Held("size_class", Accuracy(relative_error=0.2, missing=0.1)),
            Held("turnover", Accuracy(relative_error=0.2, missing=0.4), words=SALES),
        ),
        respondents=0.6,
    ),
    Scenario(
        domain="business",
        name="annual_accounts",
        who="anybody who reads what companies must publish",
        source="published annual accounts and business registers",
        why="Accounts are audited: turnover and profit differ from a survey's by definitions and "
        "by the end of the year only. Only companies above a size must publish; that they are a "
        "tenth of all firms is an assumption.",
        reference="Hundepool et al., Statistical Disclosure Control, Wiley, 2012; McGuckin & "
        "Nguyen, Journal of Economic and Social Measurement 16:19-39, 1990",
        holds=(
            Held("sector", Accuracy(wrong=0.1)),
            Held("region"),
            Held("city"),
            Held("postcode"),
            Held("size_class", Accuracy(relative_error=0.05)),
            Held("turnover", Accuracy(relative_error=0.02), words=SALES),
            Held("profit", Accuracy(relative_error=0.05), words=PROFIT),
        ),
        respondents=0.1,
    ),
    Scenario(
        domain="business",
        name="business_partner",
        who="a bank, supplier or auditor of some firms",
        source="the books that these firms showed to it",
        why="A partner knows a few firms very well: all figures of last year, which this year's "
        "differ from by a few per cent.",
        reference="Elliot & Dale, Netherlands Official Statistics 14:6-10, 1999; Willenborg & de "
        "Waal, Elements of Statistical Disclosure Control, Springer, 2001",
        holds=(
            Held("sector"),
            Held("region"),
            Held("city"),
            Held("postcode"),
            Held("size_class", Accuracy(relative_error=0.03)),
            Held("income", Accuracy(relative_error=0.05)),
        ),
        respondents=50,
    ),
)
