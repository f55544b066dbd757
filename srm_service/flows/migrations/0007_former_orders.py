from django.db import migrations


def end_former_orders(apps, schema_editor):
    """Orders of earlier releases have no recorded outcome: they took effect or were replaced long ago."""
    apps.get_model("flows", "FlowAction").objects.update(outcome="applied")


class Migration(migrations.Migration):

    dependencies = [
        ("flows", "0006_orders_as_rows"),
    ]

    operations = [
        migrations.RunPython(end_former_orders, migrations.RunPython.noop),
    ]
