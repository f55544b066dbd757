from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from replication.config import ConfigError, ConfigFinding
from replication.config.tree import TREE_FORMATS, TreeProperty
from replication.domain.settings.choices import FILE_DIALECT
from srm_service.configuration.contracts import AppliedChange, InvalidChangeError
from srm_service.configuration.selectors import current_tree
from srm_service.configuration.transfer.importing import import_tree, is_imported, note_import
from srm_service.configuration.transfer.reading import read_file
from srm_service.flows.publishing import publish_quietly


class Command(BaseCommand):
    help = "Import the property tree of a configuration file. Can be repeated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--dialect", default=FILE_DIALECT, help=f"{', '.join(TREE_FORMATS)}; {FILE_DIALECT} if omitted"
        )
        parser.add_argument("--replace", action="store_true", help="remove properties that the file does not have")
        parser.add_argument(
            "--unless-unchanged", action="store_true", help="import nothing if the file was imported as it is"
        )

    def handle(
        self,
        *args: Any,
        file: Path,
        dialect: str,
        replace: bool = False,
        unless_unchanged: bool = False,
        **options: Any,
    ) -> None:
        try:
            found, text = read_file(file, dialect)
            if unless_unchanged and is_imported(text):
                self.stdout.write(f"{file} has not changed since its import; the stored properties are kept")
                publish_quietly()
                return
            applied = import_tree(found, by="import_properties", comment=f"import of {file.name}", replaces=replace)
            note_import(text)
        except (ConfigError, InvalidChangeError) as error:
            raise CommandError(f"{file} is invalid:\n{_lines(error.findings)}") from error
        self._report(file, found.tree.properties, applied)
        if not publish_quietly():
            self.stdout.write("note: Redis does not answer; the maintenance worker will publish the changes later")

    def _report(self, file: Path, properties: Sequence[TreeProperty], applied: AppliedChange) -> None:
        for finding in applied.findings:
            self.stdout.write(f"{finding.severity}: {finding}")
        self.stdout.write(
            f"{len(properties)} properties ({len(applied.differences)} changed), "
            f"{len(applied.clusters)} clusters changed, {len(applied.flows)} flows changed from {file}; "
            f"version {applied.version}"
        )
        places = {each.place for each in properties}
        kept = [each.place.key for each in current_tree().properties if each.place not in places]
        if kept:
            self.stdout.write(f"note: {len(kept)} properties are not in the file and are kept, such as {kept[0]}")


def _lines(findings: tuple[ConfigFinding, ...]) -> str:
    return "\n".join(f"  {finding.severity}: {finding}" for finding in findings)
