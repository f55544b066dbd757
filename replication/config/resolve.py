"""The effective value of a flow's setting: flow beats cluster beats global, with what was beaten."""

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
            candidates.append(("cluster", self._levels.cluster(self._flow.target).get(spec.name)))
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
        ]
        return self._choose(f"consumer.{name}", candidates)

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
