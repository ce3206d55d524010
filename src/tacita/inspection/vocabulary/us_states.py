"""The states and territories of the United States, by name and by postal abbreviation."""

from __future__ import annotations

STATES = frozenset(
    part.strip()
    for line in (
        "alabama al, alaska ak, arizona az, arkansas ar, california ca, colorado co",
        "connecticut ct, delaware de, district of columbia dc, florida fl, georgia ga",
        "hawaii hi, idaho id, illinois il, indiana in, iowa ia, kansas ks, kentucky ky",
        "louisiana la, maine me, maryland md, massachusetts ma, michigan mi, minnesota mn",
        "mississippi ms, missouri mo, montana mt, nebraska ne, nevada nv, new hampshire nh",
        "new jersey nj, new mexico nm, new york ny, north carolina nc, north dakota nd",
        "ohio oh, oklahoma ok, oregon or, pennsylvania pa, rhode island ri, south carolina sc",
        "south dakota sd, tennessee tn, texas tx, utah ut, vermont vt, virginia va",
        "washington wa, west virginia wv, wisconsin wi, wyoming wy, puerto rico pr, guam gu",
        "american samoa as, virgin islands vi, northern mariana islands mp",
    )
    for state in line.split(",")
    for part in state.strip().rsplit(" ", 1)
)
