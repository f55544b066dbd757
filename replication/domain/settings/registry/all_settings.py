"""All settings by key.

To add a setting, edit three files: declare it in a module of this package, read it where it has its effect by
`SETTING.read(settings)`, and add its test. The file reader, the checks before a start, the choice between a live change
and a restart, and docs/settings.md (`make settings-page`) follow from the declaration.
"""

from collections.abc import Mapping

from replication.domain.settings.registry import (
    clients,
    consumer_groups,
    drivers,
    errors,
    flow,
    manager,
    other_components,
    planning,
    records,
    topic_creation,
    topic_filters,
)
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError

_MODULES = (
    flow,
    topic_filters,
    records,
    errors,
    clients,
    planning,
    topic_creation,
    consumer_groups,
    drivers,
    manager,
    other_components,
)


def _declared(value: object) -> tuple[Setting[object], ...]:
    if isinstance(value, Setting):
        return (value,)
    return tuple(each for each in value if isinstance(each, Setting)) if isinstance(value, tuple) else ()


SETTINGS: tuple[Setting[object], ...] = tuple(
    setting for module in _MODULES for value in vars(module).values() for setting in _declared(value)
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


def find_setting(key: str) -> Setting[object] | None:
    """Return the setting by its present spelling."""
    return _BY_KEY.get(key)


def setting_errors(settings: Mapping[str, str]) -> tuple[SettingError, ...]:
    """Return one error for each setting whose value is not allowed, by key. Keys of others are not checked."""
    errors: list[SettingError] = []
    for key in sorted(settings):
        try:
            if (setting := find_setting(key)) is not None:
                setting.parse(settings[key])
        except SettingError as error:
            errors.append(error)
    return tuple(errors)
