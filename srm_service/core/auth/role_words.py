"""The words for roles, weakest first; settings read them before Django's models are loaded."""

from typing import Literal, get_args

UserRole = Literal["viewer", "operator", "admin"]
ROLES: tuple[UserRole, ...] = get_args(UserRole)
