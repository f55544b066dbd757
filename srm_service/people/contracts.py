"""The data types in which REST and other apps see users, sessions and tokens."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from srm_service.core.auth.roles import UserRole

TokenScope = Literal["read", "operate", "admin", "metrics", "peer"]
TOKEN_SCOPES: tuple[TokenScope, ...] = get_args(TokenScope)
TokenState = Literal["active", "expired", "revoked", "owner_disabled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserDto:
    """A user with the role; null: the user may log in and see nothing."""

    name: str
    role: UserRole | None
    active: bool
    has_password: Annotated[bool, "false: the user logs in at the identity provider only"]
    created_ms: int
    last_login_ms: int | None
    sessions: Annotated[int, "open sessions"]
    tokens: Annotated[int, "tokens that are neither expired nor revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDto:
    """An open session. Its id is a digest, with which no one can use the session."""

    id: str
    user: str
    started_ms: int | None
    expires_ms: int
    address: str
    user_agent: str
    current: Annotated[bool, "the session of this request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenDto:
    """An API token without its secret."""

    id: Annotated[str, "the public prefix of the token"]
    name: str
    owner: str
    scopes: tuple[TokenScope, ...]
    state: TokenState
    created_ms: int
    expires_ms: int
    last_used_ms: Annotated[int | None, "exact to a minute; null: never"]
    revoked_ms: int | None
