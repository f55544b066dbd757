"""Rows that every batch replaces keep half of their pages free: PostgreSQL then writes no index for a new version."""

from typing import Any

from django.db import migrations

TABLES = ("partition_now", "covered")


def leave_room(apps: Any, schema_editor: Any) -> None:
    _execute(schema_editor, "SET (fillfactor = 50)")


def use_all(apps: Any, schema_editor: Any) -> None:
    _execute(schema_editor, "RESET (fillfactor)")


def _execute(schema_editor: Any, change: str) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(f"ALTER TABLE {table} {change}")


class Migration(migrations.Migration):
    dependencies = [
        ("monitoring", "0012_series_topics"),
    ]

    operations = [migrations.RunPython(leave_room, use_all)]
