"""The effective value of a flow's setting: flow beats cluster beats global; beaten values are kept.

`workers.` and `connectors.` exist in the replication manager's dialect only and rank between cluster and global.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from replication.config.files.findings import Findings
from replication.config.files.levels import Levels
from replication.config.flows.model import Beaten, Effective
from replication.config.settings.places import client_of, places_of
from replication.config.tree.properties import PropertyPlace
from replication.domain.identifiers import FlowId
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError

T = TypeVar("T")


class Resolver:
    """Answers for one flow and keeps each answer with its origin. Values that are not allowed become findings."""

    def __init__(self, levels: Levels, flow: FlowId, findings: Findings, defaults: Mapping[str, str]) -> None:
        """`defaults` are those of the dialect."""
        self._levels = levels
        self._flow = flow
        self._findings = findings
        self._defaults = dict(defaults)
        self.effective: dict[str, Effective] = {}

    def given(self, setting: Setting[object]) -> Effective | None:
        """Return the value in the file, None when no level has it."""
        client = client_of(setting.role)
        name = setting.key if client == "flow" else setting.key.removeprefix(f"{client}.")
        found = self._choose(setting.key, places_of(client, name, self._flow))
        if found is not None:
            self._check(setting, found)
        return found

    def read(self, setting: Setting[T], defaults: dict[str, str] | None = None) -> T:
        """Return the effective value; the default where there is none or one that is not allowed.

        `defaults` beat those of the dialect.
        """
        found = self.given(setting)
        text = (self._defaults | (defaults or {})).get(setting.key) if found is None else found.value
        if found is None:
            self._keep_default(setting, text)
        return setting.parse_or_default(text)

    def family(self, name: str) -> dict[str, Effective]:
        """Return the setting `name` and all below `name.`, on the flow or globally."""
        flow, connectors, top = self._levels.flow(self._flow), self._levels.connectors, self._levels.top
        wanted = sorted(key for key in {*flow, *connectors, *top} if key == name or key.startswith(f"{name}."))
        chosen = {key: self._choose(key, places_of("flow", key, self._flow)) for key in wanted}
        return {key: found for key, found in chosen.items() if found is not None}

    def _check(self, setting: Setting[object], found: Effective) -> None:
        """The review of single lines finds most errors; equal findings are reported once."""
        try:
            setting.parse(found.value)
        except SettingError as error:
            self._findings.error(found.origin or found.name, error.problem)

    def _keep_default(self, setting: Setting[object], text: str | None) -> None:
        value = setting.default_text if text is None else text
        self.effective[setting.key] = Effective(name=setting.key, value=value, level="default", origin=None)

    def _choose(self, name: str, places: Iterable[PropertyPlace]) -> Effective | None:
        present = [
            Beaten(level=place.level, origin=prop) for place in places if (prop := self._levels.at(place)) is not None
        ]
        if not present:
            return None
        winner, *beaten = present
        value = winner.origin.value.strip()
        found = Effective(name=name, value=value, level=winner.level, origin=winner.origin, beaten=tuple(beaten))
        self.effective[name] = found
        return found
