import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { NotFound } from "@/app/NotFound";
import { Shell } from "@/app/Shell";
import type { RangeSearch } from "@/lib/range";

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The time range belongs to every page: a link from one to another keeps it, so what is absent has no key. */
function rangeSearch(search: Record<string, unknown>): RangeSearch {
  const from = typeof search.from === "number" ? search.from : text(search.from);
  const before = text(search.before);
  return {
    ...(from === undefined ? {} : { from }),
    ...(typeof search.to === "number" ? { to: search.to } : {}),
    ...(before === undefined ? {} : { before }),
  };
}

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: rangeSearch,
  search: { middlewares: [retainSearchParams(["from", "to", "before"])] },
});

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/replications", replace: true });
  },
});

export interface FlowsSearch {
  q?: string | undefined;
  status?: string | undefined;
  sort?: string | undefined;
  /** the statistic of the numbers; absent: now, or the average of a range in the past */
  stat?: string | undefined;
  /** the columns of the table, `status,lag,owner`; absent: the usual ones */
  columns?: string | undefined;
  metric?: string | undefined;
  /** the flow that is selected in table and topology, `us-east->eu-central` */
  flow?: string | undefined;
}

const flowsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/replications",
  validateSearch: (search: Record<string, unknown>): FlowsSearch => ({
    q: text(search.q),
    status: text(search.status),
    sort: text(search.sort),
    stat: text(search.stat),
    columns: text(search.columns),
    metric: text(search.metric),
    flow: text(search.flow),
  }),
  component: lazyRouteComponent(() => import("@/features/replications/OverviewPage"), "OverviewPage"),
});

/** Parts of a flow besides its overview. */
export const FLOW_TABS = ["topics", "groups", "tasks", "orders", "events", "configuration"] as const;
export type FlowTab = (typeof FLOW_TABS)[number];

export interface FlowSearch {
  /** the part of the flow that is shown; absent: the overview */
  tab?: FlowTab | undefined;
  /** the topic whose partitions are shown */
  open?: string | undefined;
  /** the audit whose findings are shown */
  audit?: number | undefined;
  topic?: string | undefined;
  /** the state of the topics that are listed; absent: those that are copied, with their numbers */
  state?: string | undefined;
  /** the statistic of the topics' numbers; absent: now, or the average of a range in the past */
  stat?: string | undefined;
  /** part of the names of the consumer groups that are shown */
  group?: string | undefined;
  readiness?: string | undefined;
  /** the earlier time that the charts are compared with, `day` or `week` */
  compare?: string | undefined;
  /** the charts with a logarithmic scale, `latency,checkpoint` */
  log?: string | undefined;
  /** part of the keys whose values in force are shown */
  key?: string | undefined;
  /** true: keys that only have their default, too */
  defaults?: boolean | undefined;
}

const flowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/replications/$source/$target",
  validateSearch: (search: Record<string, unknown>): FlowSearch => ({
    tab: FLOW_TABS.find((tab) => tab === search.tab),
    open: text(search.open),
    audit: typeof search.audit === "number" ? search.audit : undefined,
    topic: text(search.topic),
    state: text(search.state),
    stat: text(search.stat),
    group: text(search.group),
    readiness: text(search.readiness),
    compare: text(search.compare),
    log: text(search.log),
    key: text(search.key),
    defaults: search.defaults === true || undefined,
  }),
  component: lazyRouteComponent(() => import("@/features/replication/FlowPage"), "FlowPage"),
});

export interface TopicSearch {
  compare?: string | undefined;
  log?: string | undefined;
}

const topicRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/replications/$source/$target/topics/$topic",
  validateSearch: (search: Record<string, unknown>): TopicSearch => ({
    compare: text(search.compare),
    log: text(search.log),
  }),
  component: lazyRouteComponent(() => import("@/features/replication/topic/TopicPage"), "TopicPage"),
});

export interface RecordSearch {
  partition?: number | undefined;
  offset?: number | undefined;
  /** the cluster that the offset is of; absent: the source */
  on?: "target" | undefined;
}

const recordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/replications/$source/$target/topics/$topic/record",
  validateSearch: (search: Record<string, unknown>): RecordSearch => ({
    partition: count(search.partition),
    offset: count(search.offset),
    on: search.on === "target" ? "target" : undefined,
  }),
  component: lazyRouteComponent(() => import("@/features/replication/record/RecordPage"), "RecordPage"),
});

const newFlowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/replications/new",
  component: lazyRouteComponent(() => import("@/features/new-flow/NewFlowPage"), "NewFlowPage"),
});

export interface ClustersSearch {
  /** words that the clusters have, such as an alias or an owner */
  q?: string | undefined;
}

const clustersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/clusters",
  validateSearch: (search: Record<string, unknown>): ClustersSearch => ({ q: text(search.q) }),
  component: lazyRouteComponent(() => import("@/features/clusters/ClustersPage"), "ClustersPage"),
});

const newClusterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/clusters/new",
  component: lazyRouteComponent(() => import("@/features/clusters/NewClusterPage"), "NewClusterPage"),
});

const clusterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/clusters/$alias",
  component: lazyRouteComponent(() => import("@/features/clusters/ClusterPage"), "ClusterPage"),
});

const editClusterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/clusters/$alias/edit",
  component: lazyRouteComponent(() => import("@/features/clusters/EditClusterPage"), "EditClusterPage"),
});

const driversRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/drivers",
  component: lazyRouteComponent(() => import("@/features/drivers/DriversPage"), "DriversPage"),
});

const driverRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/drivers/$id",
  component: lazyRouteComponent(() => import("@/features/drivers/driver/DriverPage"), "DriverPage"),
});

const servicesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/services",
  component: lazyRouteComponent(() => import("@/features/services/ServicesPage"), "ServicesPage"),
});

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

export interface ConfigurationSearch {
  /** the draft that collects the changes */
  draft?: number | undefined;
  /** the place in the tree of levels, such as `cluster:us-east` */
  at?: string | undefined;
  q?: string | undefined;
  effect?: "none" | undefined;
  /** the property, or the known key, that is open */
  key?: string | undefined;
  from_version?: number | undefined;
  to_version?: number | undefined;
}

const configurationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/configuration",
  validateSearch: (search: Record<string, unknown>): ConfigurationSearch => ({
    draft: count(search.draft),
    at: text(search.at),
    q: text(search.q),
    effect: search.effect === "none" ? "none" : undefined,
    key: text(search.key),
    from_version: count(search.from_version),
    to_version: count(search.to_version),
  }),
  component: lazyRouteComponent(
    () => import("@/features/configuration/ConfigurationLayout"),
    "ConfigurationLayout",
  ),
});

const propertiesRoute = createRoute({
  getParentRoute: () => configurationRoute,
  path: "/",
  component: lazyRouteComponent(
    () => import("@/features/configuration/properties/PropertiesPage"),
    "PropertiesPage",
  ),
});

const keysRoute = createRoute({
  getParentRoute: () => configurationRoute,
  path: "/keys",
  component: lazyRouteComponent(() => import("@/features/configuration/keys/KeysPage"), "KeysPage"),
});

const reviewRoute = createRoute({
  getParentRoute: () => configurationRoute,
  path: "/review",
  component: lazyRouteComponent(() => import("@/features/configuration/review/ReviewPage"), "ReviewPage"),
});

const transferRoute = createRoute({
  getParentRoute: () => configurationRoute,
  path: "/transfer",
  component: lazyRouteComponent(
    () => import("@/features/configuration/transfer/TransferPage"),
    "TransferPage",
  ),
});

const historyRoute = createRoute({
  getParentRoute: () => configurationRoute,
  path: "/history",
  component: lazyRouteComponent(() => import("@/features/configuration/history/HistoryPage"), "HistoryPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("@/app/settings/SettingsPage"), "SettingsPage"),
});

export const routeTree = rootRoute.addChildren([
  indexRoute,
  flowsRoute,
  flowRoute,
  topicRoute,
  recordRoute,
  newFlowRoute,
  clustersRoute,
  newClusterRoute,
  clusterRoute,
  editClusterRoute,
  driversRoute,
  driverRoute,
  servicesRoute,
  configurationRoute.addChildren([propertiesRoute, keysRoute, reviewRoute, transferRoute, historyRoute]),
  settingsRoute,
]);

export function makeRouter() {
  return createRouter({ routeTree, defaultPreload: "intent", scrollRestoration: true });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
