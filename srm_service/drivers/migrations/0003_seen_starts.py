from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('drivers', '0002_seen_process'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='seenprocess',
            name='one_row_per_seen_process',
        ),
        migrations.AddField(
            model_name='seenprocess',
            name='boot',
            field=models.CharField(blank=True, default='', max_length=64),
        ),
        migrations.AddField(
            model_name='seenprocess',
            name='pid',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='seenprocess',
            constraint=models.UniqueConstraint(fields=('process', 'role', 'boot'), name='one_row_per_seen_start'),
        ),
    ]
