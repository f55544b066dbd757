"""The tables which the service migrates are those which the metrics process writes."""

import pytest
from django.apps import apps
from django.db import connections, models

from metrics.schemas import TABLES, Column, ColumnKind, Table

_KINDS: dict[type, ColumnKind] = {
    models.BigIntegerField: "bigint",
    models.BigAutoField: "bigint",
    models.FloatField: "double",
    models.TextField: "text",
}
_MODELS = {model._meta.db_table: model for model in apps.get_app_config("monitoring").get_models()}
_IDS = [table.name for table in TABLES]


def test_both_sides_know_the_same_tables() -> None:
    assert set(_MODELS) == set(_IDS)


@pytest.mark.parametrize("table", TABLES, ids=_IDS)
def test_the_columns_agree_in_name_kind_and_null(table: Table) -> None:
    fields = [field for field in _MODELS[table.name]._meta.local_fields if not _is_composite(field)]

    assert {_column_of(field) for field in fields} == set(table.columns)


@pytest.mark.parametrize("table", TABLES, ids=_IDS)
def test_the_primary_key_agrees(table: Table) -> None:
    key = _MODELS[table.name]._meta.pk

    columns = key.field_names if isinstance(key, models.CompositePrimaryKey) else (key.column,)
    assert tuple(columns) == table.key


@pytest.mark.django_db(databases=["default", "metrics"])
@pytest.mark.parametrize("table", TABLES, ids=_IDS)
def test_the_migrated_table_has_the_unique_keys_and_indexes(table: Table) -> None:
    connection = connections["metrics"]
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, table.name).values()

    unique = {tuple(found["columns"]) for found in constraints if found["unique"] and not found["primary_key"]}
    indexed = {tuple(found["columns"]) for found in constraints if found["index"]}
    assert set(table.unique) <= unique
    assert set(table.indexes) <= indexed


def _is_composite(field: object) -> bool:
    return isinstance(field, models.CompositePrimaryKey)


def _column_of(field: "models.Field[object, object]") -> Column:
    return Column(
        name=str(field.column),
        kind=_KINDS[type(field)],
        null=field.null,
        identity=isinstance(field, models.BigAutoField),
    )
