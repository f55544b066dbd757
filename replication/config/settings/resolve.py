"""The effective value of a flow's setting: flow beats cluster beats global; beaten values are kept.

The level decides first, the detail of the prefix second. `workers.` and `connectors.` exist in the replication
manager's dialect only and rank between cluster and global.
"""

from collections.abc import Mapping
from typing import TypeVar

from replication.config.files.findings import Findings
from replication.config.files.levels import Levels
from replication.config.flows.model import Effective, Level, Property
from replication.domain.identifiers import FlowId
from replication.domain.settings.registry.flow import ENABLED
from replication.domain.settings.setting import Setting
from replication.domain.settings.setting_error import SettingError

T = TypeVar("T")
Candidates = list[tuple[Level, Property | None]]


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
        kind = setting.role
        if kind == "consumer":
            found = self._choose(setting.key, self._of_consumer(setting.key))
        elif kind == "producer":
            found = self._choose(setting.key, self._of_producer(setting.key.removeprefix("producer.")))
        else:
            found = self._choose(setting.key, self._of_flow(setting))
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
        try:
            return setting.default if text is None else setting.parse(text)
        except SettingError:
            return setting.default

    def family(self, name: str) -> dict[str, Effective]:
        """Return the setting `name` and all below `name.`, on the flow or globally."""
        flow, connectors, top = self._levels.flow(self._flow), self._levels.connectors, self._levels.top
        wanted = sorted(key for key in {*flow, *connectors, *top} if key == name or key.startswith(f"{name}."))
        candidates: dict[str, Candidates] = {
            key: [("flow", flow.get(key)), ("connectors", connectors.get(key)), ("global", top.get(key))]
            for key in wanted
        }
        chosen = {key: self._choose(key, levels) for key, levels in candidates.items()}
        return {key: found for key, found in chosen.items() if found is not None}

    def _of_flow(self, setting: Setting[object]) -> Candidates:
        """Connect's worker keys are read from the target, too."""
        key, flow = setting.key, self._levels.flow(self._flow)
        candidates: Candidates = [("flow", flow.get(key))]
        if setting.role == "worker":
            candidates.insert(0, ("flow", flow.get(f"worker.{key}")))
            candidates.append(("cluster", self._levels.cluster(self._flow.target).get(key)))
            candidates.append(("workers", self._levels.workers.get(key)))
        else:
            candidates.append(("connectors", self._levels.connectors.get(key)))
        if key != ENABLED.key:
            candidates.append(("global", self._levels.top.get(key)))
        return candidates

    def _of_consumer(self, key: str) -> Candidates:
        """The consumer at the source: on the flow, or on the source cluster."""
        flow = self._levels.flow(self._flow)
        return [
            ("flow", flow.get(f"source.{key}")),
            ("flow", flow.get(key)),
            ("flow", flow.get(f"source.cluster.{key.removeprefix('consumer.')}")),
            ("cluster", self._levels.cluster(self._flow.source).get(key)),
            ("connectors", self._levels.connectors.get(f"source.{key}")),
            ("connectors", self._levels.connectors.get(key)),
        ]

    def _of_producer(self, name: str) -> Candidates:
        """The producer at the target, by any of the names that MirrorMaker and Connect have for it."""
        flow = self._levels.flow(self._flow)
        cluster = self._levels.cluster(self._flow.target)
        return [
            ("flow", flow.get(f"producer.override.{name}")),
            ("flow", flow.get(f"target.producer.{name}")),
            ("flow", flow.get(f"producer.{name}")),
            ("flow", flow.get(f"target.cluster.{name}")),
            ("cluster", cluster.get(f"producer.override.{name}")),
            ("cluster", cluster.get(f"producer.{name}")),
            ("connectors", self._levels.connectors.get(f"producer.override.{name}")),
            ("workers", self._levels.workers.get(f"producer.{name}")),
            ("global", self._levels.top.get(f"producer.override.{name}")),
        ]

    def _check(self, setting: Setting[object], found: Effective) -> None:
        """The review of single lines finds most errors; equal findings are reported once."""
        try:
            setting.parse(found.value)
        except SettingError as error:
            self._findings.error(found.origin or found.name, error.problem)

    def _keep_default(self, setting: Setting[object], text: str | None) -> None:
        value = setting.default_text if text is None else text
        self.effective[setting.key] = Effective(name=setting.key, value=value, level="default", origin=None)

    def _choose(self, name: str, candidates: Candidates) -> Effective | None:
        present = [(level, prop) for level, prop in candidates if prop is not None]
        if not present:
            return None
        level, winner = present[0]
        beaten = tuple(prop for _, prop in present[1:])
        found = Effective(name=name, value=winner.value.strip(), level=level, origin=winner, beaten=beaten)
        self.effective[name] = found
        return found
