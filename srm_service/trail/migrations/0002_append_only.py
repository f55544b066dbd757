"""Lets the database itself refuse changes of entries, and deletions of those that are younger than 30 days."""

from typing import Any

from django.db import migrations

YOUNGEST_DAYS = 30  # retention may not be shorter

_REFUSED = "entries of the trail are neither changed nor deleted"
INSTALL = {
    "sqlite": (
        "CREATE TRIGGER trail_no_change BEFORE UPDATE ON trail_trailentry "
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
        "CREATE TRIGGER trail_no_deletion BEFORE DELETE ON trail_trailentry "
        f"WHEN OLD.at > datetime('now', '-{YOUNGEST_DAYS} days') BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    ),
    "postgresql": (
        "CREATE FUNCTION trail_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSED}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
        "CREATE TRIGGER trail_no_change BEFORE UPDATE ON trail_trailentry "
        "FOR EACH ROW EXECUTE FUNCTION trail_refuse()",
        "CREATE TRIGGER trail_no_deletion BEFORE DELETE ON trail_trailentry FOR EACH ROW "
        f"WHEN (OLD.at > now() - interval '{YOUNGEST_DAYS} days') EXECUTE FUNCTION trail_refuse()",
    ),
}
REMOVE = {
    "sqlite": ("DROP TRIGGER trail_no_change", "DROP TRIGGER trail_no_deletion"),
    "postgresql": (
        "DROP TRIGGER trail_no_change ON trail_trailentry",
        "DROP TRIGGER trail_no_deletion ON trail_trailentry",
        "DROP FUNCTION trail_refuse()",
    ),
}


def install(apps: Any, schema_editor: Any) -> None:
    for statement in INSTALL.get(schema_editor.connection.vendor, ()):
        schema_editor.execute(statement)


def remove(apps: Any, schema_editor: Any) -> None:
    for statement in REMOVE.get(schema_editor.connection.vendor, ()):
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("trail", "0001_trail_entries")]

    operations = [migrations.RunPython(install, remove)]
