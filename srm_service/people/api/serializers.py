"""Request and response bodies of users, sessions and tokens."""

from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, ClassVar

from django.utils import timezone
from rest_framework import serializers

from srm_service.core.api.derived_fields import DataclassSerializer
from srm_service.core.api.lists import ListSerializer
from srm_service.core.api.pagination import PageQuery, SortKey
from srm_service.core.api.requests import StrictSerializer
from srm_service.core.auth.roles import UserRole
from srm_service.core.choices import choices_of
from srm_service.core.clock import moment_of
from srm_service.people.contracts import SessionDto, TokenDto, TokenScope, TokenState, UserDto
from srm_service.people.tokens import DEFAULT_LIFE, LONGEST_LIFE

USER_ROLE_CHOICES = choices_of(UserRole)
TOKEN_SCOPE_CHOICES = choices_of(TokenScope)
TOKEN_STATE_CHOICES = choices_of(TokenState)
_LONGEST_NAME = 150
_LONGEST_PASSWORD = 500


def _password(help_text: str, **options: Any) -> serializers.CharField:
    return serializers.CharField(
        max_length=_LONGEST_PASSWORD, trim_whitespace=False, write_only=True, help_text=help_text, **options
    )


def _new_password() -> serializers.CharField:
    return _password("default: one is generated and answered once", required=False, allow_null=True, default=None)


class UserSerializer(DataclassSerializer):
    """A user."""

    shape = UserDto


class UserListQuery(PageQuery):
    """Orders of the list of users."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("name", "role", "created_ms", "last_login_ms", "sessions", "tokens")
    }


class UserListSerializer(ListSerializer):
    """Users by name."""

    items = UserSerializer(many=True)


class NewUserSerializer(StrictSerializer):
    """A user to create."""

    name = serializers.RegexField(
        r"^[\w.@+-]+$",
        max_length=_LONGEST_NAME,
        error_messages={"invalid": "use letters, digits and . @ + - _ only"},
    )
    role = serializers.ChoiceField(choices=USER_ROLE_CHOICES, allow_null=True)
    password = _new_password()


class CreatedUserSerializer(UserSerializer):
    """The created user."""

    password = serializers.CharField(allow_null=True, help_text="the generated password, answered once; else null")


class UserChangeSerializer(StrictSerializer):
    """Fields that are not given keep their value."""

    role = serializers.ChoiceField(required=False, choices=USER_ROLE_CHOICES, allow_null=True)
    active = serializers.BooleanField(required=False, help_text="false: no login, no token; open sessions end")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("the change is empty: send role, active or both")
        return attrs


class PasswordResetSerializer(StrictSerializer):
    """The new password."""

    password = _new_password()


class PasswordResetResultSerializer(serializers.Serializer[Any]):
    """The effect of the reset."""

    password = serializers.CharField(allow_null=True, help_text="the generated password, answered once; else null")


class OwnPasswordSerializer(StrictSerializer):
    """The old and the new password."""

    old_password = _password("the present one")
    new_password = _password("at least ten characters, and no common one")


class UnlockedSerializer(serializers.Serializer[Any]):
    """The effect of unlocking."""

    counters = serializers.IntegerField(help_text="counters of attempts that were reset")


class AddressSerializer(StrictSerializer):
    """A network address."""

    address = serializers.IPAddressField()


class SessionSerializer(DataclassSerializer):
    """An open session."""

    shape = SessionDto


class SessionListSerializer(ListSerializer):
    """Open sessions, the newest first."""

    items = SessionSerializer(many=True)


class OwnerQuery(StrictSerializer):
    """A user."""

    user = serializers.CharField(
        required=False, default="", max_length=_LONGEST_NAME, help_text="only of this user; others need the admin role"
    )


class SessionListQuery(OwnerQuery, PageQuery):
    """Orders of the list of sessions."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("started_ms", "user", "address", "expires_ms")
    }


class TokenListQuery(OwnerQuery, PageQuery):
    """Orders of the list of tokens."""

    orderings: ClassVar[Mapping[str, SortKey]] = {
        name: attrgetter(name) for name in ("created_ms", "owner", "name", "state", "expires_ms", "last_used_ms")
    }


class SessionsEndedSerializer(serializers.Serializer[Any]):
    """The number of ended sessions."""

    ended = serializers.IntegerField()


class TokenSerializer(DataclassSerializer):
    """An API token without its secret."""

    shape = TokenDto


class TokenListSerializer(ListSerializer):
    """Tokens, the newest first."""

    items = TokenSerializer(many=True)


class NewTokenSerializer(StrictSerializer):
    """A token to create. It never has more rights than its owner."""

    name = serializers.CharField(max_length=100, help_text="what the token is for")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=TOKEN_SCOPE_CHOICES),
        allow_empty=False,
        max_length=len(TOKEN_SCOPE_CHOICES),
        default=["read"],
        help_text="`read`: GET and the live socket; `operate`: as an operator; `admin`; `metrics`: only /metrics; "
        "`peer`: only what other services ask",
    )
    expires_ms = serializers.IntegerField(
        required=False, help_text=f"epoch ms; default in {DEFAULT_LIFE.days} days, at most in {LONGEST_LIFE.days}"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        now = timezone.now()
        earliest, latest = _ms(now), _ms(now + LONGEST_LIFE)
        expires_ms = attrs.get("expires_ms", _ms(now + DEFAULT_LIFE))
        if not earliest < expires_ms <= latest:
            raise serializers.ValidationError(
                {"expires_ms": f"it is not between now and {LONGEST_LIFE.days} days ahead"}
            )
        return {**attrs, "expires_at": moment_of(expires_ms)}


class CreatedTokenSerializer(TokenSerializer):
    """The created token with its text."""

    token = serializers.CharField(help_text="answered once; only its SHA-256 digest is stored")


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
