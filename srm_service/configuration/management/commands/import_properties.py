from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from replication.config import ConfigError, ConfigFinding
from replication.config.tree.files import TREE_FORMATS
from srm_service.configuration.contracts import InvalidChangeError
from srm_service.configuration.selectors import current_tree
from srm_service.configuration.transfer.importing import DialectConflictError, import_tree
from srm_service.configuration.transfer.reading import read_file
from srm_service.flows.publishing import publish_quietly
from srm_service.flows.selectors import flow_list


class Command(BaseCommand):
    help = "Import the property tree of a configuration file. Can be repeated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--dialect", default="mm2", help=f"{', '.join(TREE_FORMATS)}; mm2 if omitted")
        parser.add_argument("--replace", action="store_true", help="remove properties that the file does not have")

    def handle(self, *args: Any, file: Path, dialect: str, replace: bool = False, **options: Any) -> None:
        try:
            found = read_file(file, dialect)
            applied = import_tree(found, by="import_properties", comment=f"import of {file.name}", replaces=replace)
        except (ConfigError, InvalidChangeError) as error:
            raise CommandError(f"{file} is invalid:\n{_lines(error.findings)}") from error
        except DialectConflictError as error:
            raise CommandError(f"{error}; use --replace to replace all of them") from error
        for finding in applied.findings:
            self.stdout.write(f"{finding.severity}: {finding}")
        properties = found.tree.properties
        places = {each.place for each in properties}
        self.stdout.write(
            f"{len(properties)} properties ({len(applied.differences)} changed), "
            f"{len(applied.clusters)} clusters changed, {len(applied.flows)} flows changed from {file}"
        )
        kept = [each.place.key for each in current_tree().properties if each.place not in places]
        if kept:
            self.stdout.write(f"note: {len(kept)} properties are not in the file and are kept, such as {kept[0]}")
        self.stdout.write(f"{len(flow_list())} flows are configured, version {applied.version}")
        if not publish_quietly():
            self.stdout.write("note: Redis does not answer; the maintenance worker will publish the changes later")


def _lines(findings: tuple[ConfigFinding, ...]) -> str:
    return "\n".join(f"  {finding.severity}: {finding}" for finding in findings)
