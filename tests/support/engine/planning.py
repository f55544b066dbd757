"""Planning a flow east->west in memory."""

from replication.connectors.plan.source_connector import SourceConnector
from replication.domain.desired.desired_document import ConnectorSettings, DesiredFlow, NamePatterns, PolicyChoice
from replication.domain.plan.plan_document import PlanDocument
from replication.memory.admin import MemoryAdmin
from replication.memory.broker import MemoryCluster

ALL = NamePatterns(allow=(".*",))


def connect(east: MemoryCluster, west: MemoryCluster, flow: DesiredFlow | None = None) -> SourceConnector:
    return SourceConnector(flow or DesiredFlow(source="east", topics=ALL), "west", MemoryAdmin(east), MemoryAdmin(west))


def flow(policy: PolicyChoice | None = None, **settings: str) -> DesiredFlow:
    dotted = {key.replace("__", "-").replace("_", "."): value for key, value in settings.items()}
    return DesiredFlow(
        source="east", topics=ALL, policy=policy or PolicyChoice(), connectors=ConnectorSettings(source=dotted)
    )


def codes(plan: PlanDocument) -> list[str]:
    return [warning.code for warning in plan.warnings]
