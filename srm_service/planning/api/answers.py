"""Serializers of the answers, one per dataclass of the questions' contract."""

from typing import Any

from replication.domain.plan.preflight import PreflightFinding
from replication.domain.questions import config_drift, flow_changes, topic_preview, topic_state
from srm_service.core.api.derived_fields import AnyField, DataclassSerializer, fields_of
from srm_service.planning import contracts

_KNOWN: dict[Any, type[AnyField]] = {}


class _AnswerSerializer(DataclassSerializer):
    """The fields of a dataclass, also of those that it holds."""

    def get_fields(self) -> dict[str, AnyField]:
        return fields_of(self.shape, _KNOWN)


def _serializer(shape: type) -> type[_AnswerSerializer]:
    """Return the serializer of a dataclass whose inner dataclasses have theirs already."""
    members = {"shape": shape, "__doc__": shape.__doc__, "__module__": __name__}
    made = type(f"{shape.__name__}Serializer", (_AnswerSerializer,), members)
    _KNOWN[shape] = made
    return made


for _inner in (
    PreflightFinding,
    flow_changes.CreatedTopic,
    flow_changes.WidenedTopic,
    flow_changes.RenamedTopic,
    flow_changes.TakenName,
    flow_changes.RemoteConfigEdit,
    flow_changes.AclEdit,
    flow_changes.SlotRestart,
    flow_changes.TaskChange,
    flow_changes.Estimate,
    flow_changes.Unlooked,
    flow_changes.FlowChanges,
    contracts.ChangedValue,
    contracts.PlanFinding,
    contracts.FlowPlan,
    topic_preview.PreviewMatch,
    topic_preview.DeniedMatch,
    topic_preview.NearMiss,
    topic_state.TopicState,
    config_drift.DriftedConfig,
    config_drift.SetAgainResult,
):
    _serializer(_inner)

ChangePlanSerializer = _serializer(contracts.ChangePlan)
TopicPreviewSerializer = _serializer(topic_preview.TopicPreview)
TopicStatesSerializer = _serializer(topic_state.TopicStates)
ConfigDriftSerializer = _serializer(config_drift.ConfigDrift)
SetAgainSerializer = _serializer(config_drift.SetAgain)
