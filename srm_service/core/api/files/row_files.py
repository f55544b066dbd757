"""Rows as a file: CSV for spreadsheets, JSON for programs."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any, Literal

import orjson
from django.http import HttpResponse
from rest_framework import serializers

from srm_service.core.api.files.csv_lists import csv_cell
from srm_service.core.choices import choices_of
from srm_service.core.clock import moment_of

FileKind = Literal["csv", "json"]


def file_kind_field() -> serializers.ChoiceField:
    """Return the query parameter that chooses the format."""
    return serializers.ChoiceField(required=False, default="csv", choices=choices_of(FileKind), help_text="format")


def file_answer(rows: Iterable[Any], shape: type, kind: FileKind, *, name: str, time: str) -> HttpResponse:
    """Return dataclasses of this shape as a download; `time` is their field with epoch ms."""
    content_type = "text/csv; charset=utf-8" if kind == "csv" else "application/json"
    text = _csv(rows, shape, time) if kind == "csv" else orjson.dumps([asdict(row) for row in rows])
    answer = HttpResponse(text, content_type=content_type)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return answer


def _csv(rows: Iterable[Any], shape: type, time: str) -> str:
    """Return a line per row after a header; nested values are JSON."""
    columns = tuple(field.name for field in fields(shape))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("at", *columns))
    for row in rows:
        values = asdict(row)
        at = moment_of(values[time]).isoformat(timespec="milliseconds")
        writer.writerow((at, *(csv_cell(values[name]) for name in columns)))
    return text.getvalue()
