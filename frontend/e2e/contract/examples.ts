/** Examples of the requests that the page makes: what stands for the parameters, and bodies. */

const FLOW_PATH = "/api/v2/replications/{source}/{target}";

/** A flow that is not healthy: its answers have causes, gaps and warnings. */
const FLOW = { source: "eu-central", target: "analytics" };
const PLACES: Readonly<Record<string, string>> = {
  ...{ ...FLOW, topic: "orders", partition: "3", offset: "48000001", group: "billing", alias: "us-east" },
  ...{ driver_id: "driver-1", action_id: "9", draft_id: "1", number: "5", view_id: "1" },
  ...{ reset_id: "1f0c", audit_id: "14" },
};
const RANGE = "from_ms=1760000000000&to_ms=1760000600000&step_ms=60000";
const QUERIES: Readonly<Record<string, string>> = {
  "/api/v2/config/diff": "from=1&to=2",
  "/api/v2/metrics/flows": `metric=bytes_per_second&${RANGE}`,
  "/api/v2/metrics/summary": RANGE,
  "/api/v2/properties/export": "format=mm2",
  "/api/v2/search": "q=orders",
  [`${FLOW_PATH}/series`]: `metric=bytes_per_second&${RANGE}`,
  "/api/v2/tasks": "source=eu-central&target=analytics",
  "/api/v2/events": "source=eu-central&target=analytics",
  "/api/v2/gaps": "source=eu-central&target=analytics",
};

/** The address of a path with its parameters and its query. */
export function placeOf(path: string): string {
  const place = path.replace(/{(\w+)}/g, (_, name) => PLACES[name] ?? name);
  return path in QUERIES ? `${place}?${QUERIES[path]}` : place;
}

/** What the page asks for and no test needs: the fake service has no answer. */
export const NOT_ANSWERED: readonly string[] = [
  `POST ${FLOW_PATH}/audits`,
  `DELETE ${FLOW_PATH}/audits/{audit_id}`,
  `POST ${FLOW_PATH}/drift`,
  `POST ${FLOW_PATH}/resets`,
  `DELETE ${FLOW_PATH}/resets/{reset_id}`,
  `PUT ${FLOW_PATH}/throttle`,
];

const REASON = { reason: "upgrade" };
const CHANGES = [{ key: "connectors.tasks.max", value: "6" }];
const PATTERNS = { allow: [".*"], deny: ["test-.*"] };
const NONE = [{}];

/** The bodies of each change; of one without a body: an empty one. */
export const BODIES: Readonly<Record<string, readonly object[]>> = {
  "POST /api/v2/clusters": [{ alias: "ap-south", bootstrap: ["b1.ap-south.example:9092"] }],
  "PATCH /api/v2/clusters/{alias}": [{ owner: "payments" }],
  "DELETE /api/v2/clusters/{alias}": NONE,
  "POST /api/v2/clusters/test": [{ bootstrap: ["b1.ap-south.example:9092"] }],
  "POST /api/v2/clusters/{alias}/test": NONE,
  "POST /api/v2/config/drafts": [{ name: "slots", changes: CHANGES }],
  "PATCH /api/v2/config/drafts/{draft_id}": [{ changes: CHANGES }, { rebase: true }],
  "DELETE /api/v2/config/drafts/{draft_id}": NONE,
  "POST /api/v2/config/drafts/{draft_id}/apply": [{ comment: "", dry_run: false }],
  "POST /api/v2/config/plan": [{ draft: 1 }, { flow: FLOW }],
  "POST /api/v2/config/versions/{number}/revert": [{ dry_run: true }, { dry_run: false }],
  "POST /api/v2/drivers/{driver_id}/drain": [{ ...REASON, expires_ms: null }],
  "POST /api/v2/drivers/{driver_id}/restart": [{ ...REASON, grace_ms: 30_000 }],
  "POST /api/v2/drivers/{driver_id}/undrain": [REASON],
  "PUT /api/v2/me/preferences": [{ pinned_flows: ["us-east->us-west"], columns: ["lag"] }],
  "POST /api/v2/me/views": [{ name: "slow", page: "overview", query: "q=us", is_default: true }],
  "PATCH /api/v2/me/views/{view_id}": [{ is_default: true }],
  "DELETE /api/v2/me/views/{view_id}": NONE,
  "PATCH /api/v2/properties": [{ changes: CHANGES, comment: "", dry_run: true }],
  "POST /api/v2/properties/import": [{ format: "srm", text: "tasks.mx = 4", dry_run: true }],
  "POST /api/v2/replications": [
    { source: "us-west", target: "eu-central", paused: true, topics_allow: [".*"] },
  ],
  "POST /api/v2/replications/actions": [{ action: "disable", flows: [FLOW], ...REASON, dry_run: true }],
  [`PATCH ${FLOW_PATH}`]: [{ enabled: false, comment: "" }, { enabled: true }],
  [`DELETE ${FLOW_PATH}`]: NONE,
  [`POST ${FLOW_PATH}/actions`]: [
    { action: "pause", ...REASON, dry_run: true },
    { action: "stop", ...REASON, scope: { topic: "orders", partition: 3 } },
  ],
  [`POST ${FLOW_PATH}/groups/sync`]: [{ groups: ["billing"], dry_run: true }],
  [`POST ${FLOW_PATH}/preview`]: [{ allow: [".*"] }],
  [`POST ${FLOW_PATH}/preview/groups`]: [PATTERNS],
  [`POST ${FLOW_PATH}/translate`]: [{ items: [{ topic: "orders", partition: 0, offset: 25_000 }] }],
};
