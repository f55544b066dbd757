from typing import Any

from django.core.management.base import BaseCommand, CommandError

from srm_service.clusters.secret_box import SecretsUnreadableError
from srm_service.configuration.rotation import rotate_secrets


class Command(BaseCommand):
    help = "Seal all stored secrets with the first key of SRM_SECRET_KEYS, so that older keys can be removed."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = rotate_secrets()
        except SecretsUnreadableError as error:
            raise CommandError(f"{error}; no secret was changed") from error
        self.stdout.write(f"{count} secrets are sealed with the first key; older keys can be removed")
