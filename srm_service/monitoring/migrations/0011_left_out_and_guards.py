"""Audits' counts of skipped records, proofs that know the copy, sequence guards by raw partition."""

from typing import Any

from django.db import migrations, models


def keep_guards(apps: Any, schema_editor: Any) -> None:
    """Rows of before do not say which raw partition they are of; as -1 they hold for all of them."""
    alias = schema_editor.connection.alias
    before, after = apps.get_model("monitoring", "TaskSeqBefore"), apps.get_model("monitoring", "TaskSeq")
    rows = before.objects.using(alias).values("target", "task", "boot", "seq", "last_ms")
    after.objects.using(alias).bulk_create([after(partition=-1, **row) for row in rows], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [
        ("monitoring", "0010_audit"),
    ]

    operations = [
        migrations.RenameField("AuditRun", "foreign_records", "local_records"),
        migrations.AddField("AuditRun", "gap", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("AuditRun", "skipped", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("AuditRun", "dead_lettered", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("AuditRun", "filtered_records", models.BigIntegerField(default=0, db_default=0)),
        migrations.AddField("AuditProven", "remote_topic_id", models.TextField(default="", db_default="")),
        migrations.AddField("Writer", "series_deletions", models.BigIntegerField(default=0, db_default=0)),
        migrations.AlterModelTable("TaskSeq", "task_seq_before"),
        migrations.RenameModel("TaskSeq", "TaskSeqBefore"),
        migrations.CreateModel(
            name="TaskSeq",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "target",
                        "task",
                        "boot",
                        "partition",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("target", models.TextField()),
                ("task", models.TextField()),
                ("boot", models.TextField()),
                ("partition", models.BigIntegerField()),
                ("seq", models.BigIntegerField()),
                ("last_ms", models.BigIntegerField()),
            ],
            options={
                "db_table": "task_seq",
            },
        ),
        migrations.RunPython(keep_guards, migrations.RunPython.noop),
        migrations.DeleteModel("TaskSeqBefore"),
    ]
