from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connections

from replication.domain.settings.choices import DIALECT_NAMES, FILE_DIALECT
from srm_service.flows.publishing import publish_quietly
from srm_service.settings.databases import METRICS_SCHEMA


class Command(BaseCommand):
    help = "Prepare the first start: migrate both databases, create the admin account, import a properties file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--config", type=Path, help="an mm2.properties file to import")
        parser.add_argument(
            "--dialect", default=FILE_DIALECT, help=f"{', '.join(DIALECT_NAMES)}; {FILE_DIALECT} if omitted"
        )

    def handle(self, *args: Any, config: Path | None, dialect: str, **options: Any) -> None:
        self._create_schema()
        for database in ("default", "metrics"):
            call_command("migrate", database=database, verbosity=0, interactive=False, skip_checks=True)
            _make_private(connections[database].settings_dict)
        call_command("ensure_admin", stdout=self.stdout)
        if config is None:
            publish_quietly()
        else:
            call_command("import_properties", config, dialect=dialect, unless_unchanged=True, stdout=self.stdout)

    def _create_schema(self) -> None:
        connection = connections["metrics"]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {METRICS_SCHEMA}")


def _make_private(settings: dict[str, Any]) -> None:
    """Make a SQLite file private, because it holds password hashes and secrets; its WAL file inherits the mode."""
    path = Path(str(settings["NAME"]))
    if settings["ENGINE"].endswith("sqlite3") and path.is_file():
        path.chmod(0o600)
