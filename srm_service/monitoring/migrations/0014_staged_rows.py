"""Tables for rows that tasks have prepared. PostgreSQL keeps no log of them: after a crash their batch is folded again."""

from typing import Any

from django.db import migrations, models


TABLES = ("staged_attempt", "staged_tile", "staged_now", "staged_covered")


def keep_no_log(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(f"ALTER TABLE {table} SET UNLOGGED")


class Migration(migrations.Migration):
    dependencies = [
        ("monitoring", "0013_room_for_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="StagedAttempt",
            fields=[
                ("attempt", models.BigIntegerField(primary_key=True, serialize=False)),
                ("target", models.TextField()),
                ("epoch", models.BigIntegerField()),
                ("batch", models.BigIntegerField()),
            ],
            options={
                "db_table": "staged_attempt",
            },
        ),
        migrations.CreateModel(
            name="StagedCovered",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "attempt", "series_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("attempt", models.BigIntegerField()),
                ("series_id", models.BigIntegerField()),
                ("topic_id", models.TextField()),
                ("first_offset", models.BigIntegerField()),
                ("next_offset", models.BigIntegerField()),
            ],
            options={
                "db_table": "staged_covered",
            },
        ),
        migrations.CreateModel(
            name="StagedNow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "attempt", "series_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("attempt", models.BigIntegerField()),
                ("series_id", models.BigIntegerField()),
                ("state", models.TextField()),
                ("cause", models.TextField(null=True)),
                ("covered_to", models.BigIntegerField(null=True)),
                ("log_end", models.BigIntegerField(null=True)),
                ("downstream_end", models.BigIntegerField(null=True)),
                ("lag", models.BigIntegerField(null=True)),
                ("last_ms", models.BigIntegerField()),
                ("records_per_second", models.FloatField(null=True)),
                ("bytes_per_second", models.FloatField(null=True)),
            ],
            options={
                "db_table": "staged_now",
            },
        ),
        migrations.CreateModel(
            name="StagedTile",
            fields=[
                ("id", models.BigIntegerField()),
                ("time_ms", models.BigIntegerField()),
                ("records", models.BigIntegerField()),
                ("bytes", models.BigIntegerField()),
                ("wire_bytes", models.BigIntegerField()),
                ("lag_max", models.BigIntegerField(null=True)),
                ("lag_last", models.BigIntegerField(null=True)),
                ("hole_offsets", models.BigIntegerField()),
                ("overlap_offsets", models.BigIntegerField()),
                ("covered_offsets", models.BigIntegerField()),
                ("throttled_ms", models.BigIntegerField()),
                ("latency_count", models.BigIntegerField()),
                ("latency_min_ms", models.BigIntegerField(null=True)),
                ("latency_max_ms", models.BigIntegerField(null=True)),
                ("latency_sum_ms", models.BigIntegerField()),
                ("latency_negative_count", models.BigIntegerField()),
                ("latency_hist", models.TextField()),
                ("age_count", models.BigIntegerField()),
                ("age_min_ms", models.BigIntegerField(null=True)),
                ("age_max_ms", models.BigIntegerField(null=True)),
                ("age_sum_ms", models.BigIntegerField()),
                ("age_negative_count", models.BigIntegerField()),
                ("age_hist", models.TextField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "attempt",
                        "relation",
                        "id",
                        "time_ms",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("attempt", models.BigIntegerField()),
                ("relation", models.TextField()),
            ],
            options={
                "db_table": "staged_tile",
            },
        ),
        migrations.RenameField(
            model_name="writer",
            old_name="series_deletions",
            new_name="revision",
        ),
        migrations.RunPython(keep_no_log, migrations.RunPython.noop),
    ]
