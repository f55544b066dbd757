"""Creates the first account: an admin with a random password, stored in a private file."""

import os
import secrets
from pathlib import Path

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Q

from srm_service.core.auth.roles import ROLES, UserRole

ADMIN = "admin"  # name of the first account
ADMIN_ROLE: UserRole = "admin"
_PASSWORD_BYTES = 15


def roles_ensure() -> None:
    """Create the three groups."""
    for role in ROLES:
        Group.objects.get_or_create(name=role)


def admin_ensure(password_file: Path) -> str | None:
    """Create the first admin and return the password, or None when an admin exists.

    The file is written before the account is committed, so that the password cannot be lost.
    """
    roles_ensure()
    if User.objects.filter(Q(is_superuser=True) | Q(groups__name=ADMIN_ROLE)).exists():
        return None
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    with transaction.atomic():
        admin = User.objects.create_superuser(ADMIN, password=password)
        admin.groups.add(Group.objects.get(name=ADMIN_ROLE))
        _write_private(password_file, f"{password}\n")
    return password


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
