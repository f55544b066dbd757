"""The rights and the answer of every resource that changes the configuration."""

from collections.abc import Callable, Sequence
from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from replication.config.settings.prefixes import is_client_security_behind_prefix, is_connection_key
from replication.config.tree import aliases_of, place_of
from replication.config.tree.files import has_levels
from replication.domain.settings.registry.flow import CLUSTERS
from srm_service.configuration.api.answers import applied_answer
from srm_service.configuration.api.problems import configuration_problems
from srm_service.configuration.contracts import AppliedChange, PropertyChange, PropertyDifference
from srm_service.configuration.selectors import current_tree
from srm_service.core.api.etags import etag_of_version, matched_version, tagged
from srm_service.core.api.requests import Values
from srm_service.core.auth.roles import includes, role_of
from srm_service.core.web.request_id import current_request_id

Step = Callable[..., AppliedChange]


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


def run_step(request: Request, step: Step, body: Values) -> Response:
    """Run a change with the version, author and comment of the request, and return its answer."""
    with configuration_problems():
        expected = matched_version(request)
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
    response = Response(applied_answer(applied, dry_run=body["dry_run"]))
    return tagged(response, etag_of_version(applied.version))


def _check_rights(differences: Sequence[PropertyDifference]) -> None:
    """Operators change flows; how clusters are reached is a matter of admins."""
    refused = [each.place.key for each in differences if _is_of_connection(each)]
    if refused:
        raise PermissionDenied(f"{', '.join(refused[:5])}: clusters and their credentials need the admin role")


def _is_of_connection(difference: PropertyDifference) -> bool:
    place = difference.place
    if difference.is_secret or (place.level == "global" and place.name == CLUSTERS.key):
        return True
    if is_client_security_behind_prefix(place.name):
        return True
    return place.level in ("cluster", "global") and is_connection_key(place.name)
