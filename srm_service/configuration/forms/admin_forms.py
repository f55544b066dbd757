"""Shared by the admin's forms of the configuration: the version at which a form was opened, and how it is stored."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from srm_service.configuration.change_entries import CHANGE
from srm_service.configuration.contracts import (
    InvalidChangeError,
    PropertyChange,
    VersionConflictError,
    VersionNotFoundError,
)
from srm_service.configuration.selectors import current_version
from srm_service.configuration.services import apply_changes
from srm_service.core.web.admin_models import AnyModelForm
from srm_service.core.web.request_id import current_request_id
from srm_service.trail.contracts import TrailSubject

ORIGIN = "admin"
REFUSALS = (InvalidChangeError, VersionConflictError, VersionNotFoundError)


class VersionedForm(AnyModelForm):
    """A form that fails if the configuration has changed since it was opened, and tries its changes before."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["version"] = current_version()

    def changes(self) -> list[PropertyChange]:
        """Return the changes of the property tree that the form asks for."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                apply_changes(self.changes(), by="", comment="", expected_version=values["version"], dry_run=True)
            except REFUSALS as error:
                raise ValidationError(str(error)) from error
        return values


def store(
    request: HttpRequest,
    changes: Sequence[PropertyChange],
    *,
    version: int | None,
    comment: str,
    action: str = CHANGE,
    subjects: Sequence[TrailSubject] = (),
) -> None:
    """Store changes as a version of the user, with their entries in the trail. Raises one of REFUSALS."""
    apply_changes(
        changes,
        by=request.user.get_username(),
        comment=comment,
        expected_version=version,
        request_id=current_request_id(),
        action=action,
        subjects=tuple(subjects),
    )
