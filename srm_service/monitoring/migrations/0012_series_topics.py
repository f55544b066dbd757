"""An index of the topics among the series, for lists of a flow's topics."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("monitoring", "0011_left_out_and_guards"),
    ]

    operations = [
        migrations.AddIndex(
            "Series",
            models.Index(condition=models.Q(("partition", -1)), fields=["source", "target"], name="series_topics"),
        ),
    ]
