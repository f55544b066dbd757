"""Changes of users and their passwords, each recorded in the audit trail."""

import secrets
from collections.abc import Callable
from typing import TypedDict, Unpack

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from srm_service.core.auth.accounts import ADMIN_ROLE, roles_ensure
from srm_service.core.auth.roles import UserRole, stored_role_of
from srm_service.people.attempts import attempts_forget
from srm_service.people.contracts import UserDto
from srm_service.people.models import LoginSession
from srm_service.people.selectors import user_dto, user_find
from srm_service.trail.contracts import Actor, TrailSubject
from srm_service.trail.services import record

UserCheck = Callable[[UserDto], None]
_PASSWORD_BYTES = 15


class UserChanges(TypedDict, total=False):
    """The values of a user that admins change."""

    role: UserRole | None
    active: bool


class UserNotFoundError(Exception):
    """There is no such user."""


class UserChangeError(Exception):
    """The change conflicts with the present users; the text gives the reason."""


class PasswordRefusedError(Exception):
    """The password is not acceptable; the text gives the reason."""


def user_create(*, name: str, role: UserRole | None, password: str | None, by: Actor | str) -> tuple[UserDto, str]:
    """Create a user; without a password, one is generated. Returns the password as well.

    Raises UserChangeError, PasswordRefusedError.
    """
    user = User(username=name)
    try:
        User.username_validator(name)
    except ValidationError as error:
        raise UserChangeError(f"{name!r} is not a user name: use letters, digits and @/./+/-/_ only") from error
    chosen = _acceptable(password, user)
    with transaction.atomic():
        if User.objects.filter(username__iexact=name).exists():
            raise UserChangeError(f"there is a user {name} already")
        user.set_password(chosen)
        user.save()
        _give_role(user, role)
        record(by=by, action="user.create", subject=_subject(user), after={"role": role, "active": True})
    return user_dto(user), chosen


def user_change(
    *, name: str, by: Actor | str, check: UserCheck | None = None, **changes: Unpack[UserChanges]
) -> UserDto:
    """Set role or state of a user, or both; `check` sees the user before the change and may refuse it.

    Raises UserNotFoundError; UserChangeError for the last admin.
    """
    with transaction.atomic():
        user = _locked(name)
        if check is not None:
            check(user_dto(user))
        before = _state(user)
        after: UserChanges = {**before, **changes}
        if before != after:
            _apply(user, before, after)
            record(by=by, action=_action(before, after), subject=_subject(user), before=before, after=after)
    return user_find(name) or user_dto(user)


def user_delete(*, name: str, by: Actor | str, check: UserCheck | None = None) -> None:
    """Delete a user with sessions and tokens. Raises UserNotFoundError; UserChangeError for the last admin."""
    with transaction.atomic():
        user = _locked(name)
        if check is not None:
            check(user_dto(user))
        _keep_an_admin(user)
        before = _state(user)
        subject = _subject(user)
        user.delete()
        record(by=by, action="user.delete", subject=subject, before=before)


def password_reset(*, name: str, password: str | None, by: Actor | str) -> str:
    """Set another person's password, end the sessions and unlock the user; returns the password.

    Raises UserNotFoundError, PasswordRefusedError.
    """
    with transaction.atomic():
        user = _locked(name)
        chosen = _acceptable(password, user)
        user.set_password(chosen)
        user.save(update_fields=["password"])
        LoginSession.objects.filter(user=user).delete()
        attempts_forget(name=name)
        record(by=by, action="user.reset_password", subject=_subject(user))
    return chosen


def password_change(*, user: User, password: str, keep_session: str, by: Actor | str) -> None:
    """Set the own password and end the other sessions. The caller has verified the old one.

    Raises PasswordRefusedError.
    """
    chosen = _acceptable(password, user)
    with transaction.atomic():
        user.set_password(chosen)
        user.save(update_fields=["password"])
        LoginSession.objects.filter(user=user).exclude(session_key=keep_session).delete()
        record(by=by, action="user.change_password", subject=_subject(user))


def user_unlock(*, name: str, by: Actor | str) -> int:
    """Forget failed attempts to log in under a name; returns the number of counters. Raises UserNotFoundError."""
    with transaction.atomic():
        user = _locked(name)
        unlocked = attempts_forget(name=name)
        record(by=by, action="user.unlock", subject=_subject(user), after={"counters": unlocked})
    return unlocked


def address_unlock(*, address: str, by: Actor | str) -> int:
    """Forget failed attempts to log in from an address; returns the number of counters."""
    with transaction.atomic():
        unlocked = attempts_forget(address=address)
        record(by=by, action="address.unlock", subject=TrailSubject("address", address), after={"counters": unlocked})
    return unlocked


def _acceptable(password: str | None, user: User) -> str:
    if password is None:
        return secrets.token_urlsafe(_PASSWORD_BYTES)
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise PasswordRefusedError(" ".join(error.messages)) from error
    return password


def _state(user: User) -> UserChanges:
    return {"role": stored_role_of(user), "active": user.is_active}


def _apply(user: User, before: UserChanges, after: UserChanges) -> None:
    if after["role"] != ADMIN_ROLE or not after["active"]:
        _keep_an_admin(user)
    if after["active"] != before["active"]:
        user.is_active = after["active"]
        user.save(update_fields=["is_active"])
    if after["role"] != before["role"]:
        _give_role(user, after["role"])
    if not after["active"]:
        LoginSession.objects.filter(user=user).delete()


def _give_role(user: User, role: UserRole | None) -> None:
    """Make `role` the only one; an admin is allowed into Django's admin."""
    roles_ensure()
    user.groups.set(Group.objects.filter(name=role) if role else [])
    user.is_staff, user.is_superuser = role == ADMIN_ROLE, False
    user.save(update_fields=["is_staff", "is_superuser"])


def _keep_an_admin(user: User) -> None:
    """Raise UserChangeError if the user is the only active admin; the rows of admins are locked."""
    admins = User.objects.select_for_update(of=("self",)).filter(
        Q(is_superuser=True) | Q(groups__name=ADMIN_ROLE), is_active=True
    )
    found = {admin.pk for admin in admins.order_by("pk")}
    if found == {user.pk}:
        raise UserChangeError(f"{user.get_username()} is the only admin: give another user the admin role first")


def _locked(name: str) -> User:
    user = User.objects.select_for_update().filter(username=name).first()
    if user is None:
        raise UserNotFoundError(f"there is no user {name}; GET /api/v2/users lists all")
    return user


def _action(before: UserChanges, after: UserChanges) -> str:
    if before["active"] == after["active"]:
        return "user.change_role"
    return "user.enable" if after["active"] else "user.disable"


def _subject(user: User) -> TrailSubject:
    return TrailSubject("user", user.get_username())
