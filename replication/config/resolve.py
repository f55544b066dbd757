"""The effective value of a flow's setting: flow beats cluster beats global, with what was beaten.

The level decides first, the detail of the prefix second. `workers.` and `connectors.` exist in the replication
manager's dialect only and stand between cluster and global.
"""

from replication.config.keys import KeySpec
from replication.config.levels import Levels
from replication.config.model import Effective, Level, Property
from replication.domain.identifiers import FlowId

_TRUE, _FALSE = "true", "false"


class Resolver:
    """Answers for one flow and remembers each answer for the provenance."""

    def __init__(self, levels: Levels, flow: FlowId) -> None:
        self._levels = levels
        self._flow = flow
        self.effective: dict[str, Effective] = {}

    def given(self, spec: KeySpec) -> Effective | None:
        """The value in the file, None when no level has it. Connect's worker keys are read from the target, too."""
        candidates: list[tuple[Level, Property | None]] = [("flow", self._levels.flow(self._flow).get(spec.name))]
        if spec.role == "worker":
            candidates.insert(0, ("flow", self._levels.flow(self._flow).get(f"worker.{spec.name}")))
            candidates.append(("cluster", self._levels.cluster(self._flow.target).get(spec.name)))
            candidates.append(("workers", self._levels.workers.get(spec.name)))
        else:
            candidates.append(("connectors", self._levels.connectors.get(spec.name)))
        if spec.name != "enabled":
            candidates.append(("global", self._levels.top.get(spec.name)))
        return self._choose(spec.name, candidates)

    def consumer_setting(self, name: str) -> Effective | None:
        """A setting of the consumer at the source: on the flow, or on the source cluster."""
        flow = self._levels.flow(self._flow)
        cluster = self._levels.cluster(self._flow.source)
        candidates: list[tuple[Level, Property | None]] = [
            ("flow", flow.get(f"source.consumer.{name}")),
            ("flow", flow.get(f"consumer.{name}")),
            ("cluster", cluster.get(f"consumer.{name}")),
            ("connectors", self._levels.connectors.get(f"source.consumer.{name}")),
            ("connectors", self._levels.connectors.get(f"consumer.{name}")),
        ]
        return self._choose(f"consumer.{name}", candidates)

    def producer_setting(self, name: str) -> Effective | None:
        """A setting of the producer at the target, by any of the names that MirrorMaker and Connect have for it."""
        flow = self._levels.flow(self._flow)
        cluster = self._levels.cluster(self._flow.target)
        candidates: list[tuple[Level, Property | None]] = [
            ("flow", flow.get(f"producer.override.{name}")),
            ("flow", flow.get(f"target.producer.{name}")),
            ("flow", flow.get(f"producer.{name}")),
            ("cluster", cluster.get(f"producer.override.{name}")),
            ("cluster", cluster.get(f"producer.{name}")),
            ("connectors", self._levels.connectors.get(f"producer.override.{name}")),
            ("workers", self._levels.workers.get(f"producer.{name}")),
            ("global", self._levels.top.get(f"producer.override.{name}")),
        ]
        return self._choose(f"producer.{name}", candidates)

    def family(self, name: str) -> dict[str, Effective]:
        """The setting `name` and everything below `name.`, on the flow or globally."""
        flow, connectors, top = self._levels.flow(self._flow), self._levels.connectors, self._levels.top
        wanted = sorted(key for key in {*flow, *connectors, *top} if key == name or key.startswith(f"{name}."))
        candidates: dict[str, list[tuple[Level, Property | None]]] = {
            key: [("flow", flow.get(key)), ("connectors", connectors.get(key)), ("global", top.get(key))]
            for key in wanted
        }
        chosen = {key: self._choose(key, levels) for key, levels in candidates.items()}
        return {key: found for key, found in chosen.items() if found is not None}

    def text(self, spec: KeySpec, default: str) -> str:
        return self._or_default(spec, default).value

    def boolean(self, spec: KeySpec, default: bool) -> bool:
        found = self._or_default(spec, _TRUE if default else _FALSE)
        return found.value.lower() == _TRUE

    def count(self, spec: KeySpec, default: int) -> int:
        found = self._or_default(spec, str(default))
        return int(found.value) if found.value.isdigit() else default  # bad values have been reported

    def _or_default(self, spec: KeySpec, default: str) -> Effective:
        found = self.given(spec)
        if found is None:
            found = Effective(name=spec.name, value=default, level="default", origin=None)
            self.effective[spec.name] = found
        return found

    def _choose(self, name: str, candidates: list[tuple[Level, Property | None]]) -> Effective | None:
        present = [(level, prop) for level, prop in candidates if prop is not None]
        if not present:
            return None
        level, winner = present[0]
        beaten = tuple(prop for _, prop in present[1:])
        found = Effective(name=name, value=winner.value.strip(), level=level, origin=winner, beaten=beaten)
        self.effective[name] = found
        return found
