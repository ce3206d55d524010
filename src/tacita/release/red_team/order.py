"""The order of records: it follows from what they hold, unless the statement says otherwise."""

from __future__ import annotations

from tacita.release.red_team.looking import Look

PARTS = ("role", "kind", "order")  # of a declaration that the statement has


def look_at(look: Look) -> None:
    """Report records that stand in another order than the one their contents demand."""
    stated = look.statement["file"]
    if not stated or stated.get("order") != "contents":
        return
    # Only here: reading as Tacita reads is the one part that needs more of it.
    from tacita.data.content_order import is_in_content_order
    from tacita.data.declaration import Declaration
    from tacita.data.formats import layout_of
    from tacita.data.read import read_dataset

    file = look.public / stated["name"]
    declared = {}
    for row in look.statement["attributes"]:
        said = {part: row[part] for part in PARTS if part in row}
        if said.get("kind") == "ordinal" and "order" not in said:
            said["kind"] = "nominal"  # an order too long to be stated
        declared[row["name"]] = Declaration(**said)
    data = read_dataset(file, declared, layout=layout_of(stated.get("layout", {})))
    if not is_in_content_order(data, stated.get("history")):
        look.report(file, "the records", "they stand in another order than their contents demand")
