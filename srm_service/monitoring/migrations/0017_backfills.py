"""The tables of a running backfill get the names that its code and documents use. What they held is counted again."""

from typing import Any

from django.db import migrations, models


TABLES = ("backfill", "backfill_tile", "backfill_now", "backfill_covered")


def keep_no_log(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(f"ALTER TABLE {table} SET UNLOGGED")


class Migration(migrations.Migration):
    dependencies = [
        ("monitoring", "0016_recounts"),
    ]

    operations = [
        migrations.DeleteModel(name="Recount"),
        migrations.DeleteModel(name="RecountCovered"),
        migrations.DeleteModel(name="RecountNow"),
        migrations.DeleteModel(name="RecountTile"),
        migrations.CreateModel(
            name="Backfill",
            fields=[
                ("target", models.TextField(primary_key=True, serialize=False)),
                ("backfill_id", models.BigIntegerField()),
                ("job_id", models.BigIntegerField()),
            ],
            options={
                "db_table": "backfill",
            },
        ),
        migrations.CreateModel(
            name="BackfillCovered",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "backfill_id", "series_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("backfill_id", models.BigIntegerField()),
                ("series_id", models.BigIntegerField()),
                ("topic_id", models.TextField()),
                ("first_offset", models.BigIntegerField()),
                ("next_offset", models.BigIntegerField()),
            ],
            options={
                "db_table": "backfill_covered",
            },
        ),
        migrations.CreateModel(
            name="BackfillNow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "backfill_id", "series_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("backfill_id", models.BigIntegerField()),
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
                "db_table": "backfill_now",
            },
        ),
        migrations.CreateModel(
            name="BackfillTile",
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
                        "backfill_id",
                        "relation",
                        "hour_ms",
                        "id",
                        "time_ms",
                        "step",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("backfill_id", models.BigIntegerField()),
                ("relation", models.TextField()),
                ("hour_ms", models.BigIntegerField()),
                ("step", models.BigIntegerField()),
            ],
            options={
                "db_table": "backfill_tile",
            },
        ),
        migrations.RunPython(keep_no_log, migrations.RunPython.noop),
    ]
