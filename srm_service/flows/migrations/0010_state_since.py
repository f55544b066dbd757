from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('flows', '0009_topic_throttles'),
    ]

    operations = [
        migrations.RenameField(model_name='flow', old_name='pause_since', new_name='state_since'),
    ]
