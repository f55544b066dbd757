"""Writes the tables of docs/settings.md: `python -m replication.config.settings.documentation`.

The page's introduction is written by hand, up to the marker; the tables follow from the registry of settings.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from replication.config.settings.client_keys import CLIENT_KEYS, ClientKey
from replication.config.settings.client_texts import CLIENT_TEXTS
from replication.config.settings.prefixes import SECURITY_KEYS
from replication.domain.settings.registry.all_settings import SETTINGS
from replication.domain.settings.setting import Effect, Setting

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"
_MARKER = (
    "<!-- The tables below are written by `make settings-page`; edit replication/domain/settings/registry instead. -->"
)
_SECTIONS: tuple[tuple[Effect, str], ...] = (
    ("flow", "The flow itself"),
    ("drivers", "Drivers"),
    ("engine", "Copying records"),
    ("planning", "Choosing topics and keeping them in step"),
    ("topic creation", "Creating topics"),
    ("consumer groups", "Consumer groups"),
    ("heartbeats", "Heartbeats"),
    ("audits", "Audits"),
    ("metrics", "Metrics"),
)


def with_tables(page: str) -> str:
    """Return the page with the tables of today in place of those after the marker."""
    introduction, marker, _ = page.partition(_MARKER)
    return "\n".join([introduction + marker, *_tables()]) + "\n"


def _tables() -> Iterable[str]:
    for effect, title in _SECTIONS:
        yield from ("", f"## {title}", "", "| key | value | default | a change | meaning |", "|---|---|---|---|---|")
        yield from map(_row, _with(effect))
    yield from ("", "## Settings without effect", "", "These keys are known, and a note says why they have no effect.")
    yield from ("", "| key | why |", "|---|---|")
    yield from (f"| `{setting}` | {setting.why} |" for setting in _with("none"))
    yield from ("", "## Kafka clients", "")
    yield "Keys of connections belong to a cluster (`<alias>.<key>`), those of consumers and producers to a flow."
    yield from ("", "| client | key | type | default | effect | meaning |", "|---|---|---|---|---|---|")
    security = (ClientKey(name, "connection", "connection") for name in SECURITY_KEYS)
    yield from map(_client_row, (*security, *CLIENT_KEYS))


def _with(effect: Effect) -> list[Setting[object]]:
    return [setting for setting in SETTINGS if setting.effect == effect]


def _row(setting: Setting[object]) -> str:
    default = f"`{setting.default_text}`" if setting.default_text else ""
    change = "restarts the slots" if setting.change == "restart" else "is taken over live"
    cells = (f"`{setting}`", setting.values.allowed, default, change, setting.doc)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _client_row(key: ClientKey) -> str:
    effects = {"connection": "on the connection", "engine": "see above", "none": f"none: {key.why}"}
    text = CLIENT_TEXTS.get(key.name) if key.effect != "engine" else None
    kind, meaning = ("", "") if text is None else (text.kind, text.doc)
    default = f"`{text.default}`" if text is not None and text.default else ""
    return f"| {key.kind} | `{key.name}` | {kind} | {default} | {effects[key.effect]} | {meaning} |"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
