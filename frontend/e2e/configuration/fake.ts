/** A made-up configuration with its drafts, versions and plans: same shapes as the service. */
import type { components } from "../../src/api/schema";
import type {
  Applied,
  ChangePlan,
  CheckedDraft,
  ConfigDifference,
  ConfigFinding,
  ImportOrder,
  Property,
  PropertyChange,
  Version,
} from "../../src/api/types.ts";
import { type Asked, Created, listed, NO_CONTENT, Refused } from "../manage.ts";
import { effective } from "./effective.ts";
import { KEYS } from "./keys.ts";

type ChangeOrder = components["schemas"]["PatchedChangeOrderRequest"];

/** Eight days ago. */
const AT_MS = Date.now() - 8 * 86_400_000;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration, not a template
const HIDDEN = "${secret:hidden}";

/** What one fake service stores; tests change it to play other people. */
export interface FakeConfiguration {
  version: number;
  draft: { id: number; name: string; author: string; base_version: number; changes: PropertyChange[] } | null;
}

export function newConfiguration(): FakeConfiguration {
  return { version: 7, draft: null };
}

function property(key: string, value: string, change: Partial<Property> = {}): Property {
  const [base = "", name = key] = key.includes("->")
    ? [key.slice(0, key.indexOf(".") + 1), key.slice(key.indexOf(".") + 1)]
    : ["", key];
  const [source = "", target = ""] = base.slice(0, -1).split("->");
  return {
    key,
    level: base === "" ? "global" : "flow",
    alias: "",
    source,
    target,
    name,
    value,
    is_secret: value === HIDDEN,
    comment: "",
    origin: "srm.properties:12",
    effect: "planning",
    note: "",
    ...change,
  };
}

function ofLevel(level: "workers" | "connectors" | "cluster", base: string, name: string, value: string) {
  const alias = level === "cluster" ? base.slice(0, -1) : "";
  return property(base + name, value, { level, alias, name, effect: "engine" });
}

export const PROPERTIES: readonly Property[] = [
  property("clusters", "us-east, us-west, eu-central, analytics", { effect: "connection" }),
  property("replication.factor", "3", { effect: "topic creation", comment: "three zones" }),
  property("offset.flush.interval.ms", "60000", {
    effect: "none",
    note: "positions are stored with each batch",
  }),
  property("refersh.topics.interval.seconds", "10", {
    effect: "unknown",
    note: "did you mean refresh.topics.interval.seconds?",
  }),
  ofLevel("workers", "workers.", "producer.linger.ms", "20"),
  ofLevel("connectors", "connectors.", "tasks.max", "4"),
  { ...ofLevel("cluster", "us-east.", "bootstrap.servers", "b1.us-east.example:9093"), effect: "connection" },
  { ...ofLevel("cluster", "us-east.", "sasl.jaas.config", HIDDEN), effect: "connection" },
  ofLevel("cluster", "us-west.", "producer.acks", "all"),
  property("us-east->us-west.enabled", "true", { effect: "flow" }),
  property("us-east->us-west.topics", "orders.*, payments"),
  property("us-east->us-west.tasks.max", "8"),
  property("us-east->us-west.producer.override.linger.ms", "50", { effect: "engine" }),
  property("us-east->eu-central.enabled", "true", { effect: "flow" }),
  property("us-east->eu-central.topics", "orders.*"),
];

/** The answer of the resources of the configuration; undefined for all others. */
export function configured(asked: Asked, parts: readonly string[]): unknown {
  const { url, configuration } = asked;
  const [first, second = "", third = "", fourth] = parts;
  if (first === "settings") return listed(KEYS);
  if (first === "replications" && fourth === "effective") return effective(url, second, third);
  if (first === "properties" && second === "export") return exported(url);
  if (first === "properties" && second === "import")
    return imported(asked.sent as ImportOrder, configuration);
  if (first === "properties" && asked.method === "PATCH")
    return changed(asked.sent as ChangeOrder, configuration);
  if (first === "properties")
    return { ...listed(PROPERTIES), version: configuration.version, dialect: "srm" };
  if (first !== "config") return undefined;
  if (second === "drafts") return drafts(asked, third, fourth);
  if (second === "diff") return diff(url);
  if (second === "versions") return versions(asked, third);
  if (second === "plan" && "draft" in (asked.sent as object)) return planOfDraft(configuration);
  return undefined;
}

function drafts({ method, sent, configuration }: Asked, id: string, part: string | undefined): unknown {
  const body = (sent ?? {}) as { name?: string; changes?: PropertyChange[]; rebase?: boolean };
  if (id === "" && method === "POST") {
    const { version } = configuration;
    const name = body.name ?? "";
    configuration.draft = {
      id: 1,
      name,
      author: "admin",
      base_version: version,
      changes: body.changes ?? [],
    };
    return new Created(checked(configuration));
  }
  const { draft } = configuration;
  if (id === "") return listed(draft === null ? [] : [stored(draft)]);
  if (draft === null) return new Refused(404, { detail: `There is no draft ${id}.` });
  if (method === "DELETE") {
    configuration.draft = null;
    return NO_CONTENT;
  }
  if (method === "PATCH") {
    draft.changes = body.changes ?? draft.changes;
    draft.base_version = body.rebase ? configuration.version : draft.base_version;
  }
  return part === "apply" ? applied(configuration, draft.base_version) : checked(configuration);
}

type StoredDraft = NonNullable<FakeConfiguration["draft"]>;

function stored(draft: StoredDraft) {
  return { ...draft, created_ms: AT_MS, updated_ms: AT_MS + draft.changes.length };
}

function differencesOf(changes: readonly PropertyChange[]): ConfigDifference[] {
  return changes.map(({ key, value, comment }) => {
    const before = PROPERTIES.find((each) => each.key === key);
    return {
      key,
      before: before?.value ?? null,
      after: value,
      comment_before: before?.comment ?? null,
      comment_after: comment ?? before?.comment ?? null,
      is_secret: before?.is_secret ?? false,
    };
  });
}

function findingsOf(changes: readonly PropertyChange[]): ConfigFinding[] {
  return changes
    .filter(({ key, value }) => key.endsWith("tasks.max") && !/^[1-9]\d*$/.test(value ?? "1"))
    .map(({ key, value }) => ({
      severity: "error",
      key,
      line: null,
      message: `expected a whole number, found ${value}`,
    }));
}

const FLOWS = [
  { source: "us-east", target: "us-west" },
  { source: "us-east", target: "eu-central" },
];

function checked({ draft, version }: FakeConfiguration): CheckedDraft {
  const { changes, ...kept } = stored(draft as StoredDraft);
  const findings = findingsOf(changes);
  const is_valid = findings.length === 0;
  return {
    ...kept,
    changes,
    current_version: version,
    is_valid,
    differences: is_valid ? differencesOf(changes) : [],
    clusters: [],
    flows: is_valid ? FLOWS : [],
    findings,
  };
}

function applied(configuration: FakeConfiguration, base_version: number): Applied | Refused {
  const { version, draft } = configuration;
  if (base_version !== version) {
    const title = "Changed in the meantime";
    const detail = `The configuration is at version ${version}, not at ${base_version}.`;
    const diff = [{ field: "replication.factor", yours: "2", current: "3" }];
    return new Refused(412, { title, detail, diff });
  }
  const differences = differencesOf(draft?.changes ?? []);
  configuration.draft = null;
  return appliedTo(configuration, differences, false);
}

/** Refuses wrong values; otherwise the changes are a version, but in a dry run. */
function changed({ changes = [], dry_run = false }: ChangeOrder, configuration: FakeConfiguration) {
  const findings = findingsOf(changes);
  return findings.length > 0 ? invalid(findings) : appliedTo(configuration, differencesOf(changes), dry_run);
}

function invalid(findings: readonly ConfigFinding[]): Refused {
  const detail = findings.map(({ key, message }) => `${key}: ${message}`).join("; ");
  return new Refused(422, { title: "The configuration is not valid", detail, findings });
}

function appliedTo(
  configuration: FakeConfiguration,
  differences: ConfigDifference[],
  dry_run: boolean,
  findings: ConfigFinding[] = [],
): Applied {
  if (!dry_run) configuration.version += 1;
  const { version } = configuration;
  return { version, changed: true, dry_run, differences, clusters: [], flows: FLOWS, findings };
}

function planOfDraft({ draft, version }: FakeConfiguration): ChangePlan {
  const none = {
    topics_widened: [],
    topics_removed: [],
    topics_renamed: [],
    names_taken: [],
    configs: [],
    acls: [],
    findings: [],
    unlooked: [],
  };
  const value = {
    key: "tasks.max",
    before: "4",
    after: draft?.changes[0]?.value ?? "6",
    level_before: "connectors" as const,
    level_after: "connectors" as const,
    takes_effect: "restart" as const,
  };
  const restarts = [0, 1].map((slot) => ({ slot, because: ["tasks.max"] }));
  return {
    version,
    changes_configuration: true,
    clusters: [],
    findings: [],
    flows: [
      {
        source: "us-east",
        target: "us-west",
        outcome: "changed",
        revision: 4,
        values: [value],
        changes: {
          ...none,
          source: "us-east",
          target: "us-west",
          topics_added: ["orders.returned"],
          topics_created: [{ name: "us-east.orders.returned", partitions: 6, upstream: "orders.returned" }],
          acls: [
            {
              topic: "us-east.orders.returned",
              principal: "User:billing",
              host: "*",
              operation: "READ",
              permission: "ALLOW",
              is_deleted: false,
            },
          ],
          tasks: { before: 4, after: 6, restarts, moved_partitions: 0, is_new_generation: true },
          estimate: { partitions: 6, records: 3_100_000, bytes: 4_200_000_000, is_upper_bound: true },
          counts: { topics_added: 1, topics_created: 1, acls: 1 },
        },
      },
      {
        source: "us-east",
        target: "eu-central",
        outcome: "changed",
        revision: 2,
        values: [value],
        changes: {
          ...none,
          source: "us-east",
          target: "eu-central",
          topics_added: [],
          topics_created: [],
          tasks: { before: 4, after: 6, restarts: [], moved_partitions: 2, is_new_generation: false },
          estimate: { partitions: 0, records: 0, bytes: 0, is_upper_bound: false },
          unlooked: [{ part: "rights", reason: "the control worker of eu-central does not answer" }],
          counts: {},
        },
      },
    ],
  };
}

const COMMENTS = ["more slots before the sale", "orders to Frankfurt", "import of srm.properties"];

function versions({ method, configuration, sent }: Asked, number: string): unknown {
  if (method === "POST") {
    const { dry_run } = sent as { dry_run: boolean };
    return appliedTo(configuration, differencesOf([{ key: "connectors.tasks.max", value: "2" }]), dry_run);
  }
  const count = configuration.version;
  const all = Array.from({ length: count }, (_, place): Version => {
    const at = count - place;
    return {
      number: at,
      author: at % 3 === 0 ? "bob" : "admin",
      at_ms: AT_MS + at * 3_600_000,
      comment: COMMENTS[at % COMMENTS.length] ?? "",
      request_id: `7f3a1c${at}`,
      dialect: "srm",
      edits: 1 + (at % 4),
    };
  });
  return number === "" ? listed(all) : undefined;
}

function diff(url: URL) {
  const number = (name: string) => Number(url.searchParams.get(name));
  const differences = differencesOf([
    { key: "connectors.tasks.max", value: "6" },
    { key: "us-east.sasl.jaas.config", value: HIDDEN },
    { key: "us-east->us-west.groups", value: ".*" },
  ]);
  return { from_version: number("from"), to_version: number("to"), differences };
}

function exported(url: URL) {
  const format = url.searchParams.get("format");
  const text = PROPERTIES.map(({ key, value }) => `${key} = ${value}\n`).join("");
  const message = "mm2 has no level for workers: it is written below each cluster";
  const finding = { severity: "note", key: "workers.producer.linger.ms", line: null, message };
  return { format, version: 7, text, findings: format === "mm2" ? [finding] : [] };
}

/** Refuses a file with a misspelled key or a wrong number, with all errors at once. */
function imported(
  { text, dry_run = false }: ImportOrder,
  configuration: FakeConfiguration,
): Applied | Refused {
  const findings = text.split("\n").flatMap((line, place): ConfigFinding[] => {
    const [key = "", value = ""] = line.split("=").map((part) => part.trim());
    const at = { key, line: place + 1 };
    if (key === "tasks.mx")
      return [{ ...at, severity: "warning", message: "no such key; did you mean tasks.max?" }];
    if (key.endsWith("tasks.max") && !/^\d+$/.test(value))
      return [{ ...at, severity: "error", message: `expected a whole number, found ${value}` }];
    return key.endsWith("enabled") && value !== "true" && value !== "false"
      ? [{ ...at, severity: "error", message: `must be true or false, found ${value}` }]
      : [];
  });
  if (findings.some(({ severity }) => severity === "error")) return invalid(findings);
  const differences = differencesOf([{ key: "connectors.tasks.max", value: "6" }]);
  return appliedTo(configuration, differences, dry_run, findings);
}
