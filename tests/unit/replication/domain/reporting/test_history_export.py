"""The settings of an export of tiles."""

import pytest

from replication.domain.reporting.history_export import history_uri, parse_widths


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("history", "file:///srv/history"),
        ("../years of tiles/", "file:///years of tiles"),
        ("/data/history", "file:///data/history"),
        ("s3a://bucket/history/", "s3a://bucket/history"),
        ("s3a://bucket", "s3a://bucket"),
        ("hdfs://name:8020/history", "hdfs://name:8020/history"),
        ("file:/data", "file:/data"),
    ],
)
def test_a_path_or_a_uri_names_a_history(text: str, uri: str) -> None:
    assert history_uri(text, "/srv") == uri


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("s3a://", "names no folder"),
        ("file://data/history", "not an absolute path"),
        ("s3a://key:secret@bucket/history", "holds credentials"),
        ("s3a://bucket/a?b", "pattern"),
        ("history/*", "pattern"),
        ("hdfs:///a{b}", "pattern"),
        ("/data/a\nb", "pattern"),
    ],
)
def test_what_is_no_folder_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        history_uri(text, "/srv")


def test_a_refusal_does_not_repeat_credentials() -> None:
    with pytest.raises(ValueError) as refused:
        history_uri("s3a://key:secret*@bucket/history", "/srv")

    assert "secret" not in str(refused.value)


def test_widths_are_ordered_and_known() -> None:
    assert parse_widths("1h, 1m") == ("1m", "1h")
    assert parse_widths("1h") == ("1h",)
    for text in ("10s", "", "1m,2h"):
        with pytest.raises(ValueError, match="choose from 1m, 1h"):
            parse_widths(text)
