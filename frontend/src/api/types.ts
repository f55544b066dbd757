/** Short names for the generated types. */
import type { components, paths } from "@/api/schema";

type Schemas = components["schemas"];

export type Flow = Schemas["FlowDetail"];
export type ListedFlow = Schemas["FlowListItem"];
export type FlowTopic = Schemas["Topic"];
export type FlowTask = Schemas["Task"];
export type FlowEvent = Schemas["Event"];
export type PartitionState = Schemas["PartitionState"];
export type TopicPartition = Schemas["Partition"];
export type Cluster = Schemas["Cluster"];
export type Audit = Schemas["Audit"];
export type AuditMode = Schemas["AuditMode"];
export type AuditStanding = Schemas["AuditStanding"];
export type TopicAuditResult = Schemas["TopicVerdict"];
export type AuditFinding = Schemas["Finding"];
export type Hold = Schemas["Hold"];
export type Reset = Schemas["Reset"];
export type OrderDryRun = Schemas["OrderDryRun"];
export type ResetList = Schemas["ResetList"];
export type ResetOrder = Schemas["ResetOrderRequest"];
export type Action = Schemas["Action"];
export type OrderBody = Omit<Schemas["FlowActionRequest"], "dry_run">;
export type OrderOutcome = Schemas["OrderOutcome"];
export type Stop = Schemas["Stop"];
export type ThrottleList = Schemas["ThrottleList"];
export type TopicThrottle = Schemas["TopicThrottle"];
export type Limit = Schemas["Limit"];
export type Group = Schemas["ConsumerGroupNow"];
export type GroupCause = Schemas["GroupCause"];
export type GroupCounts = Schemas["GroupCounts"];
export type GroupList = Schemas["GroupList"];
export type GroupPlaces = Schemas["GroupPlacesNow"];
export type GroupReadiness = Schemas["GroupReadiness"];
export type GroupState = Schemas["GroupState"];
export type PartitionPlace = Schemas["PartitionPlace"];
export type PlaceToTranslate = Schemas["PlaceRequest"];
export type TranslatedPlace = Schemas["TranslatedPlace"];
export type Translations = Schemas["Translations"];
export type SyncReceipt = Schemas["SyncReceipt"];
export type SyncReceipts = Schemas["SyncReceiptsNow"];
export type SyncTimes = Schemas["SyncTimes"];
export type Driver = Schemas["Driver"];
export type RemoteService = Schemas["RemoteService"];
export type RemoteServices = Schemas["RemoteServiceList"];
export type Gap = Schemas["Gap"];
/** What happened to flows in a range. */
export type Marks = Schemas["Marks"];
export type TopicState = Schemas["TopicState"];
export type TopicStateWord = TopicState["state"];
type TopicStatesQuery =
  paths["/api/v2/replications/{source}/{target}/topic-states"]["get"]["parameters"]["query"];
/** A field by which the service orders the states of topics, with `-` for the highest first. */
export type TopicStateOrdering = NonNullable<NonNullable<TopicStatesQuery>["ordering"]>;
export type DriftedConfig = Schemas["DriftedConfig"];
export type RecordPair = Schemas["RecordPair"];
export type RecordSide = Schemas["RecordSide"];
export type ShownBytes = Schemas["ShownBytes"];
export type Preferences = Schemas["Preferences"];
export type SavedView = Schemas["SavedView"];
export type BulkAction = Schemas["BulkAction"];
export type BulkRequest = Schemas["BulkActionRequest"];
export type BulkResult = Schemas["BulkActionResult"];
export type BulkOutcome = Schemas["ResultEnum"];
export type AuditEstimate = Schemas["AuditEstimate"];
export type SearchHit = Schemas["Hit"];
export type GoneProcess = Schemas["GoneProcess"];
export type FlowStatus = Schemas["FlowStatusWord"];
export type AuditState = Schemas["AuditState"];
export type MetricName = Schemas["MetricName"];
export type FleetMetricName = keyof Schemas["FleetSeriesByName"];
export type Partial = Schemas["Partial"];
/** One row of the live topic `flows`. */
export type FlowRow = Schemas["LiveFlowRow"];
export type LiveFrame = Schemas["LiveFrame"];
export type ConnectionReport = Schemas["ConnectionReport"];
export type TestedBroker = Schemas["TestedBroker"];
export type TestedStep = Schemas["TestedStep"];
export type ClusterDefinition = Schemas["ClusterCreateRequest"];
export type ClusterChange = Schemas["PatchedClusterChangeRequest"];
export type DefinitionTest = Schemas["DefinitionTestRequest"];
export type FlowDefinition = Schemas["FlowCreateRequest"];
/** The description of a flow in a change; absent fields are not changed. */
export type FlowDescription = Pick<FlowDefinition, "labels" | "owner" | "criticality" | "runbook">;
export type GroupPatterns = Omit<Schemas["GroupPatternsRequest"], "limit" | "wait_ms">;
export type GroupPreview = Schemas["GroupPreview"];
export type TopicPreview = Schemas["TopicPreview"];
export type NearMiss = Schemas["NearMiss"];
export type ChangePlan = Schemas["ChangePlan"];
export type FlowPlan = Schemas["FlowPlan"];
export type PlanRequest = Schemas["PlanRequestRequest"];
export type Property = Schemas["Property"];
export type PropertyChange = Schemas["PropertyChange"];
export type PropertyLevel = Schemas["PropertyLevel"];
export type EffectiveValue = Schemas["EffectiveValue"];
export type ChainLevel = Schemas["ChainLevel"];
export type ChainLink = Schemas["ChainLink"];
export type KnownKey = Schemas["Key"];
export type Draft = Schemas["Draft"];
export type CheckedDraft = Schemas["CheckedDraft"];
export type Applied = Schemas["Applied"];
export type Version = Schemas["Version"];
export type VersionDiff = Schemas["VersionDiff"];
export type FlowRevisions = Schemas["FlowRevisions"];
export type FindingSeverity = Schemas["FindingSeverity"];
export type TreeExport = Schemas["Export"];
export type ConfigFinding = Schemas["ConfigFinding"];
export type ConfigDifference = Schemas["Difference"];
export type TreeFormat = Schemas["TreeFormat"];
export type ImportOrder = Schemas["ImportOrderRequest"];

type GroupListQuery = paths["/api/v2/replications/{source}/{target}/groups"]["get"]["parameters"]["query"];
/** How a list of groups may be ordered. */
export type GroupsOrdering = NonNullable<NonNullable<GroupListQuery>["ordering"]>;
type TopicListQuery = paths["/api/v2/replications/{source}/{target}/topics"]["get"]["parameters"]["query"];
/** A field by which the service orders topics, with `-` for the highest first. */
export type TopicOrdering = NonNullable<NonNullable<TopicListQuery>["ordering"]>;
export type TopicStatistic = Exclude<NonNullable<NonNullable<TopicListQuery>["statistic"]>, "">;
type PartitionListQuery =
  paths["/api/v2/replications/{source}/{target}/topics/{topic}/partitions"]["get"]["parameters"]["query"];
/** A field by which the service orders the partitions of a topic, with `-` for the highest first. */
export type PartitionOrdering = NonNullable<NonNullable<PartitionListQuery>["ordering"]>;
type EventListQuery = paths["/api/v2/events"]["get"]["parameters"]["query"];
/** A field by which the service orders events, with `-` for the highest first. */
export type EventOrdering = NonNullable<NonNullable<EventListQuery>["ordering"]>;
type GapListQuery = paths["/api/v2/gaps"]["get"]["parameters"]["query"];
/** A field by which the service orders gaps, with `-` for the highest first. */
export type GapOrdering = NonNullable<NonNullable<GapListQuery>["ordering"]>;
type FindingListQuery =
  paths["/api/v2/replications/{source}/{target}/audits/{audit_id}/findings"]["get"]["parameters"]["query"];
/** A field by which the service orders the findings of an audit, with `-` for the highest first. */
export type FindingOrdering = NonNullable<NonNullable<FindingListQuery>["ordering"]>;
type EffectiveListQuery =
  paths["/api/v2/replications/{source}/{target}/effective"]["get"]["parameters"]["query"];
/** A field by which the service orders values in force, with `-` for the highest first. */
export type EffectiveOrdering = NonNullable<NonNullable<EffectiveListQuery>["ordering"]>;
type ActionListQuery = paths["/api/v2/replications/{source}/{target}/actions"]["get"]["parameters"]["query"];
/** A field by which the service orders the orders of a flow, with `-` for the highest first. */
export type ActionOrdering = NonNullable<NonNullable<ActionListQuery>["ordering"]>;
type VersionListQuery = paths["/api/v2/config/versions"]["get"]["parameters"]["query"];
/** A field by which the service orders versions, with `-` for the highest first. */
export type VersionOrdering = NonNullable<NonNullable<VersionListQuery>["ordering"]>;
type TaskListQuery = paths["/api/v2/tasks"]["get"]["parameters"]["query"];
/** A field by which the service orders tasks, with `-` for the highest first. */
export type TaskOrdering = NonNullable<NonNullable<TaskListQuery>["ordering"]>;

/** A metric that the service has for all flows in one answer. */
export type ManyMetricName = paths["/api/v2/metrics/flows"]["get"]["parameters"]["query"]["metric"];
/** The numbers of a metric in a range. */
export type StatisticsField = Exclude<keyof Schemas["Statistics"], "unit" | "sum_unit" | "count">;
export type Side = Schemas["SideEnum"];
export type Delivery = Schemas["Delivery"];
export type PolicyKind = Schemas["PolicyKind"];
export type OrderVerb = Schemas["OrderVerb"];
