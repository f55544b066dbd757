"""Every parser takes what its type allows, and its error names the key, the value and what is allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.domain.errors import ConfigurationError
from replication.domain.settings.registry.all_settings import SETTINGS, find_setting, setting_errors
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError
from replication.domain.settings.value_types import (
    BOOLEAN,
    CONVERTER,
    COUNT,
    FACTOR,
    LIST,
    TEXT,
    choice,
    number_or,
    whole,
)

ANY_TEXT = {id(setting.values) for setting in SETTINGS if setting.values.allowed in (TEXT.allowed, LIST.allowed)}
STRICT = [setting for setting in SETTINGS if id(setting.values) not in ANY_TEXT]
NONSENSE = "[ nonsense"  # no word, no number, and no regular expression


@pytest.mark.parametrize("setting", STRICT, ids=str)
def test_an_error_names_key_value_what_is_allowed_and_the_remedy(setting: Setting[object]) -> None:
    with pytest.raises(SettingError) as caught:
        setting.parse(f"  {NONSENSE} ")

    error = caught.value
    assert (error.key, error.value, error.allowed) == (setting.key, NONSENSE, setting.values.allowed)
    assert error.text.startswith(f"{setting.key} must be {setting.values.allowed}, not {NONSENSE!r}")
    assert error.text.endswith("; correct it in the flow's settings")
    assert isinstance(error, ValueError)
    assert isinstance(error, ConfigurationError)


def error_of(setting: Setting[object], text: str) -> SettingError | None:
    try:
        setting.parse(text)
    except SettingError as error:
        return error
    return None


@given(text=st.text(max_size=40))
def test_no_text_raises_anything_else(text: str) -> None:
    for setting in SETTINGS:
        error = error_of(setting, text)
        assert error is None or (setting.key in error.text and repr(text.strip()) in error.text)


@pytest.mark.parametrize(
    "text", ["9" * 5_000, "9" * 400 + "GB", "1_000", "²", "\uff11", "1e3", "nan", "inf", "0x10", "--1"]
)
def test_numbers_are_plain_ascii_decimals_of_bounded_length(text: str) -> None:
    for setting in STRICT:
        if setting.values is COUNT or setting.key in ("srm.linger.ms", "srm.throttle.rate", "offset.lag.max"):
            with pytest.raises(SettingError):
                setting.parse(text)


@pytest.mark.parametrize(("text", "value"), [("true", True), (" TRUE ", True), ("False", False)])
def test_booleans_are_read_as_javas_config_def_reads_them(text: str, value: bool) -> None:
    setting = find_setting("emit.offset-syncs.enabled")

    assert setting is not None
    assert setting.values is BOOLEAN
    assert setting.parse(text) is value


@pytest.mark.parametrize("text", ["", "yes", "no", "1", "0", "on", "off", "t"])
def test_nothing_else_is_a_boolean(text: str) -> None:
    with pytest.raises(ValueError):
        BOOLEAN.parse(text)


def test_values_at_the_bounds_are_allowed_and_those_beyond_are_not() -> None:
    percent = whole(0, 100)

    assert (percent.parse("0"), percent.parse("+100")) == (0, 100)
    assert (FACTOR.parse("-1"), FACTOR.parse("3")) == (-1, 3)
    for values, text in ((percent, "-1"), (percent, "101"), (FACTOR, "0"), (FACTOR, "-2"), (CONVERTER, "Json")):
        with pytest.raises(ValueError):
            values.parse(text)


def test_a_word_stands_for_no_number() -> None:
    linger = number_or("adaptive", least=0, most=10)

    assert (linger.parse("Adaptive"), linger.parse("0.5")) == (None, 0.5)


def test_choices_are_read_in_upper_and_lower_case() -> None:
    assert choice("auto", "off").parse("OFF") == "off"


def test_all_errors_of_a_flow_are_found_at_once_and_strange_keys_are_not_looked_at() -> None:
    errors = setting_errors({"tasks.max": "0", "offset.lag.max": "many", "com.example": "x", "topics": "a.*"})

    assert [error.key for error in errors] == ["offset.lag.max", "tasks.max"]
