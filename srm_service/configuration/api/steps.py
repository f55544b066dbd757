"""The body, the rights and the answer of every resource that changes the configuration."""

from collections.abc import Callable, Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from replication.config.settings.prefixes import is_connection_key
from replication.config.tree import aliases_of, place_of
from replication.config.tree.files import has_levels
from replication.domain.settings.registry.flow import CLUSTERS
from srm_service.configuration.api.answers import applied_answer
from srm_service.configuration.api.problems import configuration_problems, etag, expected_version
from srm_service.configuration.contracts import AppliedChange, PropertyChange, PropertyDifference
from srm_service.configuration.selectors import current_tree
from srm_service.core.auth.roles import includes, role_of
from srm_service.core.web.request_id import current_request_id

Step = Callable[..., AppliedChange]


def body_of(shape: type[serializers.Serializer[Any]], request: Request, *, partial: bool = False) -> dict[str, Any]:
    """Return the checked body of a request; a field that the shape does not have is refused."""
    body = shape(data=request.data, partial=partial)
    body.is_valid(raise_exception=True)
    sent = request.data if isinstance(request.data, dict) else {}
    strange = sorted(sent.keys() - body.fields)
    if strange:
        known = ", ".join(body.fields)
        raise serializers.ValidationError(dict.fromkeys(strange, f"is no field here; there are {known}"))
    return dict(body.validated_data)


def changes_of(items: Sequence[dict[str, Any]], *, origin: str = "rest") -> list[PropertyChange]:
    """Return the changes of a body; each key is put on the level that it names."""
    tree = current_tree()
    aliases, levels = aliases_of(tree), has_levels(tree.dialect)
    return [
        PropertyChange(
            place=place_of(each["key"], aliases=aliases, has_levels=levels),
            value=each["value"],
            comment=each.get("comment"),
            origin=origin,
        )
        for each in items
    ]


def take_step(request: Request, step: Step, body: dict[str, Any]) -> Response:
    """Run a change with the version, author and comment of the request, and return its answer."""
    with configuration_problems():
        expected = expected_version(request)
        common: dict[str, Any] = {
            "by": request.user.get_username(),
            "comment": body["comment"],
            "request_id": current_request_id(),
        }
        is_admin = includes(role_of(request.user), "admin")
        if body["dry_run"] or not is_admin:
            seen = step(**common, expected_version=expected, dry_run=True)
            if not is_admin:
                _check_rights(seen.differences)
                expected = seen.version if expected is None else expected
        applied = seen if body["dry_run"] else step(**common, expected_version=expected, dry_run=False)
    return Response(applied_answer(applied, dry_run=body["dry_run"]), headers=etag(applied.version))


def _check_rights(differences: Sequence[PropertyDifference]) -> None:
    """Operators change flows; how clusters are reached is a matter of admins."""
    refused = [each.place.key for each in differences if _is_of_connection(each)]
    if refused:
        raise PermissionDenied(f"{', '.join(refused[:5])}: clusters and their credentials need the admin role")


def _is_of_connection(difference: PropertyDifference) -> bool:
    place = difference.place
    if difference.is_secret or (place.level == "global" and place.name == CLUSTERS.key):
        return True
    return place.level in ("cluster", "global") and is_connection_key(place.name)
