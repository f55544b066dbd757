"""Serializers of the answers, one per dataclass of the questions' contract."""

from replication.domain.plan.preflight import PreflightFinding
from replication.domain.questions import (
    config_drift,
    flow_changes,
    group_preview,
    near_misses,
    topic_preview,
    topic_state,
)
from srm_service.core.api.derived_fields import ShapeSerializers
from srm_service.planning import contracts

_SERIALIZERS = ShapeSerializers(
    __name__,
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
    near_misses.NearMiss,
    group_preview.GroupMatch,
    group_preview.UnselectedGroup,
    topic_state.TopicState,
    config_drift.DriftedConfig,
    config_drift.SetAgainResult,
)

ChangePlanSerializer = _SERIALIZERS.of(contracts.ChangePlan)
TopicPreviewSerializer = _SERIALIZERS.of(topic_preview.TopicPreview)
GroupPreviewSerializer = _SERIALIZERS.of(group_preview.GroupPreview)
TopicStatesSerializer = _SERIALIZERS.of(topic_state.TopicStates)
ConfigDriftSerializer = _SERIALIZERS.of(config_drift.ConfigDrift)
SetAgainSerializer = _SERIALIZERS.of(config_drift.SetAgain)
