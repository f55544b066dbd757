"""Adds drivers to the subjects. SQLite rebuilds the table for it, which drops its triggers: they are installed again."""

import importlib

from django.db import migrations, models

_TRIGGERS = importlib.import_module("srm_service.trail.migrations.0002_append_only")
_BEFORE = ("cluster", "flow", "configuration", "draft", "user", "session", "token", "address", "service")
_AFTER = (*_BEFORE, "driver")


class Migration(migrations.Migration):
    dependencies = [("trail", "0002_append_only")]

    operations = [
        migrations.RunPython(_TRIGGERS.remove, _TRIGGERS.install),
        migrations.RemoveConstraint(model_name="trailentry", name="trail_subject_kind_is_known"),
        migrations.AlterField(
            model_name="trailentry",
            name="subject_kind",
            field=models.CharField(choices=[(word, word.title()) for word in _AFTER], max_length=20),
        ),
        migrations.AddConstraint(
            model_name="trailentry",
            constraint=models.CheckConstraint(
                condition=models.Q(subject_kind__in=_AFTER), name="trail_subject_kind_is_known"
            ),
        ),
        migrations.RunPython(_TRIGGERS.install, _TRIGGERS.remove),
    ]
