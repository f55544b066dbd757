from metrics.schemas import COVERED, TILES
from metrics.store.statements import upsert_from_sql, upsert_sql


def test_a_statement_of_a_batch_is_not_kept_and_one_of_a_table_is() -> None:
    source = "staged_covered WHERE attempt IN (1)"

    assert upsert_from_sql(COVERED, source) is not upsert_from_sql(COVERED, source)
    assert upsert_sql(COVERED) is upsert_sql(COVERED)


def test_rows_of_a_source_replace_whole_rows() -> None:
    statement = upsert_from_sql(TILES[0], "staged_tile WHERE attempt = 7")

    assert statement.startswith(f'INSERT INTO {TILES[0].name} ("id", "time_ms", "records", ')
    assert ' FROM staged_tile WHERE attempt = 7 ON CONFLICT ("id", "time_ms") DO UPDATE SET "records" = ' in statement
