from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from replication.config import ConfigError, load
from srm_service.flows.importing import config_import
from srm_service.flows.publishing import publish_quietly


class Command(BaseCommand):
    help = "Import clusters and flows from an mm2.properties file. Can be repeated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--dialect", default="mm2", help="mm2 (default), srm or operator")

    def handle(self, *args: Any, file: Path, dialect: str, **options: Any) -> None:
        try:
            config = load(file, dialect)
        except ConfigError as error:
            lines = "\n".join(f"  {finding.severity}: {finding}" for finding in error.findings)
            raise CommandError(f"{file} is invalid:\n{lines}") from error
        for finding in config.findings:
            self.stdout.write(f"{finding.severity}: {finding}")
        result = config_import(config)
        self.stdout.write(
            f"{result.clusters} clusters ({result.clusters_changed} changed), "
            f"{result.flows} flows ({result.flows_changed} changed) from {file}"
        )
        for flow in result.not_in_file:
            self.stdout.write(f"note: {flow} is not in the file and is kept")
        if not publish_quietly():
            self.stdout.write("note: Redis does not answer; the maintenance worker will publish the changes later")
