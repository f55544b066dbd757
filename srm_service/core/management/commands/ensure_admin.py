from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from srm_service.core.auth.accounts import ADMIN, admin_ensure


class Command(BaseCommand):
    help = "Create the first admin account; its password is stored in <SRM_HOME>/admin-password."

    def handle(self, *args: Any, **options: Any) -> None:
        path = settings.SRM_HOME / "admin-password"
        if admin_ensure(path) is None:
            self.stdout.write("An admin account already exists.")
        else:
            self.stdout.write(f"User {ADMIN}, password in {path}, readable by its owner only")
