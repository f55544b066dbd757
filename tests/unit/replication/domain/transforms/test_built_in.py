"""The effect of the built-in transforms on a record, and the records that they reject."""

import pytest

from replication.domain.batches.record import Record
from replication.domain.identifiers import TopicPartition
from replication.domain.transforms.catalogue import BUILT_IN, make_transform
from replication.domain.transforms.contract import TransformError, TransformSettingsError
from replication.domain.transforms.settings import TransformSettings
from tests.support.engine.transform_contract import check_transform

ORDERS = TopicPartition("orders", 0)
EXAMPLES: dict[str, dict[str, str]] = {
    "mask_field": {"fields": "a"},
    "set_field": {"fields": "a", "value": "1"},
    "drop_field": {"fields": "a.b"},
    "insert_header": {"header": "h", "value": "v"},
    "drop_header": {"headers": "h"},
    "filter": {"pattern": "a"},
}


def settings(kind: str, /, topics: str | None = None, **options: str) -> TransformSettings:
    return TransformSettings(name="t", type=kind, topics=topics, options=tuple(options.items()))


def record(value: bytes | None = b"{}", key: bytes | None = b"k", **headers: bytes) -> Record:
    return Record(7, 1_000, key, value, list(headers.items()))


def value_after(value: bytes, kind: str, /, **options: str) -> bytes | None:
    made = make_transform(settings(kind, **options), {}).apply(ORDERS, record(value))
    assert made is not None
    return made.value


@pytest.mark.parametrize("kind", BUILT_IN)
def test_every_transform_holds_to_the_contract(kind: str) -> None:
    check_transform(BUILT_IN[kind](EXAMPLES[kind]))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b'{"card":"4111","n":1}', b'{"card":"","n":1}', id="text"),
        pytest.param(b'{"card":4111}', b'{"card":0}', id="whole number"),
        pytest.param(b'{"card":41.5}', b'{"card":0}', id="decimal number"),
        pytest.param(b'{"card":true}', b'{"card":false}', id="truth"),
        pytest.param(b'{"card":[1,2]}', b'{"card":[]}', id="list"),
        pytest.param(b'{"card":{"no":1}}', b'{"card":{}}', id="object"),
        pytest.param(b'{ "card" : null }', b'{ "card" : null }', id="null, bytes untouched"),
        pytest.param(b'{ "other" : 1 }', b'{ "other" : 1 }', id="no such field, bytes untouched"),
    ],
)
def test_masking_leaves_the_empty_value_of_the_kind(before: bytes, after: bytes) -> None:
    assert value_after(before, "mask_field", fields="card") == after


def test_a_mask_may_be_a_text_and_reach_into_objects() -> None:
    masked = value_after(b'{"a":{"pin":1,"x":2},"b":3}', "mask_field", fields="a.pin, b.c", replacement="***")

    assert masked == b'{"a":{"pin":"***","x":2},"b":3}'


def test_fields_are_set_and_dropped() -> None:
    assert value_after(b'{"a":1}', "set_field", fields="b", value='{"x":[1.50]}') == b'{"a":1,"b":{"x":[1.50]}}'
    assert value_after(b'{"a":1,"b":{"c":2,"d":3}}', "drop_field", fields="a,b.c") == b'{"b":{"d":3}}'


def test_what_is_not_changed_keeps_every_digit_and_letter() -> None:
    text = '{"big":12345678901234567890.123456789,"exp":1E400,"text":"ключ \\n","a":0}'

    assert value_after(text.encode(), "drop_field", fields="a") == text.replace(',"a":0', "").encode()


@pytest.mark.parametrize("value", [b"no json", b"[1]", b"\xff", b"3", b"[" * 100_000], ids=str)
def test_a_value_that_is_no_json_object_is_refused_by_name(value: bytes) -> None:
    with pytest.raises(TransformError, match=r"transform 't': its value is no JSON"):
        make_transform(settings("mask_field", fields="a"), {}).apply(ORDERS, record(value))


@pytest.mark.parametrize("kind", ["mask_field", "drop_field"])
@pytest.mark.parametrize(
    "value",
    [
        b'{"pin":"4111","pin":null}',
        b'{"pin":null,"pin":"4111"}',
        b'{"a":{"pin":"4111"},"a":null}',
        b'{"pin":"4111","p\\u0069n":null}',
        b'{"list":[{"pin":"4111","pin":null}]}',
    ],
    ids=bytes.decode,
)
def test_a_repeated_name_hides_nothing_from_a_mask(kind: str, value: bytes) -> None:
    with pytest.raises(TransformError, match="a name twice"):
        value_after(value, kind, fields="pin, a.pin, list.pin")


def test_fields_of_objects_in_arrays_are_masked_and_dropped() -> None:
    value = b'{"cards":[{"pin":"1","x":2},[{"pin":"3"}],{"y":{"pin":"4"}}],"n":[1,null]}'

    assert value_after(value, "mask_field", fields="cards.pin, cards.y.pin, n.pin") == (
        b'{"cards":[{"pin":"","x":2},[{"pin":""}],{"y":{"pin":""}}],"n":[1,null]}'
    )
    assert value_after(value, "drop_field", fields="cards.pin, cards.y.pin") == (
        b'{"cards":[{"x":2},[{}],{"y":{}}],"n":[1,null]}'
    )


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("mask_field", {"fields": "a"}),
        ("mask_field", {"fields": "a", "part": "key"}),
        ("filter", {"pattern": "a"}),
        ("filter", {"pattern": "a", "on": "header:h"}),
    ],
)
def test_a_transform_opens_nothing_larger_than_allowed(kind: str, options: dict[str, str]) -> None:
    large = b'{"b":"' + b"x" * 2_000 + b'"}'
    transform = make_transform(settings(kind, **options), {}, 2_000)

    with pytest.raises(TransformError, match=r"opens? .* srm\.transforms\.max\.bytes"):
        transform.apply(ORDERS, Record(7, 1, large, large, [("h", large)]))


def test_a_transform_of_headers_takes_a_value_of_any_size() -> None:
    added = make_transform(settings("insert_header", header="h", value="v"), {}, 1_000).apply(
        ORDERS, record(b"x" * 2_000)
    )

    assert added is not None


@pytest.mark.timeout(60)
def test_an_endless_list_of_lists_is_refused_before_it_is_read() -> None:
    with pytest.raises(TransformError, match="would open"):
        value_after(b"[" + b"[]," * 8_000_000 + b"[]]", "mask_field", fields="a")


def test_objects_far_inside_one_another_are_refused() -> None:
    with pytest.raises(TransformError, match="more than 100 objects and arrays"):
        value_after(b'{"a":' + b"[" * 100 + b"1" + b"]" * 100 + b"}", "mask_field", fields="b")
    assert value_after(b'{"a":' + b"[" * 99 + b"]" * 99 + b"}", "mask_field", fields="b") is not None


@pytest.mark.timeout(60)
def test_a_filter_answers_for_a_large_record_in_linear_time() -> None:
    assert value_after(b'"test":true' * 40_000, "filter", pattern='"test":true.*"prod"') is not None


def test_a_tombstone_stays_a_tombstone() -> None:
    tombstone = record(None)

    assert make_transform(settings("set_field", fields="a", value="1"), {}).apply(ORDERS, tombstone) == tombstone


def test_keys_are_transformed_where_that_is_asked_for() -> None:
    made = make_transform(settings("drop_field", part="key", fields="a"), {}).apply(ORDERS, record(key=b'{"a":1}'))

    assert made is not None
    assert (made.key, made.value) == (b"{}", b"{}")


def test_headers_are_added_at_the_end_and_dropped_by_name() -> None:
    added = make_transform(settings("insert_header", header="origin", value="west"), {}).apply(ORDERS, record(a=b"1"))
    dropped = make_transform(settings("drop_header", headers="a"), {}).apply(ORDERS, record(a=b"1", b=b"2"))

    assert added is not None
    assert dropped is not None
    assert added.headers == [("a", b"1"), ("origin", b"west")]
    assert dropped.headers == [("b", b"2")]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        pytest.param({"pattern": "secret"}, False, id="drop by value"),
        pytest.param({"pattern": "^secret"}, True, id="no match, not dropped"),
        pytest.param({"pattern": "secret", "action": "keep"}, True, id="keep by value"),
        pytest.param({"pattern": "^k$", "on": "key"}, False, id="drop by key"),
        pytest.param({"pattern": "eu", "on": "header:region", "action": "keep"}, True, id="keep by header"),
        pytest.param({"pattern": "eu", "on": "header:zone", "action": "keep"}, False, id="keep by a header it lacks"),
    ],
)
def test_filters_keep_or_drop_by_a_match_anywhere(options: dict[str, str], kept: bool) -> None:
    made = make_transform(settings("filter", **options), {}).apply(ORDERS, record(b"a secret", region=b"eu-1"))

    assert (made is not None) is kept


def test_a_transform_may_be_meant_for_some_topics_only() -> None:
    named = make_transform(settings("filter", topics="orders|pay.*", pattern="x"), {})

    assert [named.is_meant_for(topic) for topic in ("orders", "payments", "old-orders")] == [True, True, False]


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        ("mask_field", {}, "fields is missing"),
        ("mask_field", {"fields": " , "}, "fields is empty"),
        ("mask_field", {"fields": "a", "filed": "b"}, "filed is no option"),
        ("mask_field", {"fields": "a", "part": "header"}, "value, key"),
        ("set_field", {"fields": "a", "value": "oops"}, "JSON literal"),
        ("filter", {"pattern": "("}, "pattern"),
        ("filter", {"pattern": "a", "on": "offset"}, "on must be value, key or header:<name>"),
        ("filter", {"pattern": "a", "on": "header:"}, "names no header"),
        ("filter", {"pattern": "a", "action": "route"}, "drop, keep"),
        ("mask_felt", {"fields": "a"}, "known are drop_field"),
    ],
)
def test_senseless_settings_are_told_with_transform_and_option(kind: str, options: dict[str, str], text: str) -> None:
    with pytest.raises(TransformSettingsError, match=r"^transforms\.t") as caught:
        make_transform(settings(kind, **options), {})

    assert text in caught.value.text
