"""Checks all settings of a flow together, before anything starts with them."""

from collections.abc import Mapping

from replication.domain.errors import ConfigurationError
from replication.domain.settings.record_settings import check_transforms
from replication.domain.settings.registry.all_settings import setting_errors
from replication.domain.transforms.contract import TransformSettingsError


def flow_setting_errors(settings: Mapping[str, str]) -> tuple[ConfigurationError, ...]:
    """Return one error for each setting that cannot be used; no setting is read, so nothing raises."""
    transforms = check_transforms(settings)
    return (*setting_errors(settings), *(() if transforms is None else (TransformSettingsError(transforms[1]),)))


def check_settings(settings: Mapping[str, str]) -> None:
    """Raise the first error, if there is one."""
    for error in flow_setting_errors(settings):
        raise error
