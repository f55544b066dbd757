/** The command and the request behind actions that no form of an order gives. Pure. */
import type {
  ClusterChange,
  ClusterDefinition,
  FlowDescription,
  PropertyChange,
  SavedView,
} from "@/api/types";
import {
  type ByHand,
  commandOf,
  deleteOf,
  flowPath,
  type Pair,
  patchOf,
  postOf,
  postTo,
  quoted,
} from "@/lib/by-hand";

const name = ({ source, target }: Pair) => `${source}->${target}`;

export function sameAudit(flow: Pair): ByHand {
  return { command: `srm audit ${quoted(name(flow))}`, request: postOf(flow, "audits", { mode: "full" }) };
}

export function sameAuditCancel(flow: Pair, audit_id: number): ByHand {
  return {
    command: `srm audit ${quoted(name(flow))} --cancel ${audit_id}`,
    request: deleteOf(flowPath(flow, `audits/${audit_id}`)),
  };
}

/** No groups: all of the flow. */
export function sameSync(flow: Pair, groups: readonly string[], reason: string): ByHand {
  const options = { group: groups.join(","), all: groups.length === 0, reason };
  return {
    command: commandOf(["groups", "sync", name(flow)], options),
    request: postOf(flow, "groups/sync", { groups, dry_run: false, reason }),
  };
}

/** `expires`: a duration such as 8h; empty: it is ended by hand. */
export function sameDrain(
  driver: string,
  reason: string,
  expires: string,
  expires_ms: number | null,
): ByHand {
  return {
    command: commandOf(["drivers", "drain", driver], { reason, expires }),
    request: postTo(`drivers/${encodeURIComponent(driver)}/drain`, { reason, expires_ms }),
  };
}

export function sameUndrain(driver: string, reason: string): ByHand {
  return {
    command: commandOf(["drivers", "undrain", driver], { reason }),
    request: postTo(`drivers/${encodeURIComponent(driver)}/undrain`, { reason }),
  };
}

export function sameRestart(driver: string, reason: string, grace_ms: number): ByHand {
  return {
    command: commandOf(["drivers", "restart", driver], { reason, grace: `${grace_ms / 1_000}s` }),
    request: postTo(`drivers/${encodeURIComponent(driver)}/restart`, { reason, grace_ms }),
  };
}

/** What a draft sets, and what it removes. */
export function sameApply(draft_id: number, changes: readonly PropertyChange[], comment: string): ByHand {
  const set = changes.flatMap(({ key, value }) => (value === null ? [] : [`${key}=${value}`]));
  const unset = changes.filter(({ value }) => value === null).map(({ key }) => key);
  const commands = [
    ...(set.length > 0 ? [commandOf(["config", "set", ...set], { comment })] : []),
    ...(unset.length > 0 ? [commandOf(["config", "unset", ...unset], { comment })] : []),
  ];
  return { command: commands.join("\n"), request: postTo(`config/drafts/${draft_id}/apply`, { comment }) };
}

/** No command sets configs again. */
export function sameConfigsAgain(flow: Pair, topic: string, keys: readonly string[]): ByHand {
  return { command: null, request: postOf(flow, "drift", { topics: [topic], keys }) };
}

/** No command saves a view. */
export function sameView(view: Pick<SavedView, "name" | "page" | "query" | "is_default">): ByHand {
  return { command: null, request: postTo("me/views", view) };
}

export function sameViewChange(
  view_id: number,
  change: Partial<Pick<SavedView, "name" | "is_default">>,
): ByHand {
  return { command: null, request: patchOf(`me/views/${view_id}`, change) };
}

export function sameViewDelete(view_id: number): ByHand {
  return { command: null, request: deleteOf(`me/views/${view_id}`) };
}

const pairs = (of: Readonly<Record<string, string | null>> = {}) =>
  Object.entries(of).flatMap(([key, value]) => (value === null ? [] : [`${key}=${value}`]));

/** A new cluster, or a change of one. Secrets are only named. */
export function sameCluster(alias: string, body: ClusterDefinition | ClusterChange, isNew: boolean): ByHand {
  const { client = {}, secrets = {}, bootstrap = [], labels, location, owner, criticality, runbook } = body;
  const options = {
    "bootstrap-servers": bootstrap.join(","),
    client: pairs(client),
    "secret-file": Object.keys(secrets).map((key) => `${key}=PATH`),
    unset: Object.keys(client).filter((key) => client[key] === null),
    label: pairs(labels),
    location,
    owner,
    criticality,
    runbook,
  };
  const hidden = Object.fromEntries(Object.keys(secrets).map((key) => [key, "SECRET"]));
  const shown = { ...body, secrets: hidden };
  return {
    command: commandOf(["clusters", isNew ? "add" : "change", alias], options),
    request: isNew ? postTo("clusters", shown) : patchOf(`clusters/${encodeURIComponent(alias)}`, shown),
  };
}

/** A new description of a flow. No option of the command removes all labels. */
export function sameDescription(flow: Pair, change: FlowDescription, comment: string): ByHand {
  const { labels, ...others } = change;
  const isWithoutLabels = labels !== undefined && Object.keys(labels).length === 0;
  const cleared = Object.entries(others).flatMap(([field, value]) => (value === "" ? [`--${field} ''`] : []));
  const command = commandOf(["flows", "change", name(flow)], { label: pairs(labels), ...others });
  return {
    command: isWithoutLabels ? null : [command, ...cleared].join(" "),
    request: patchOf(flowPath(flow), { ...change, comment }),
  };
}

export function sameClusterDelete(alias: string): ByHand {
  return {
    command: commandOf(["clusters", "delete", alias], {}),
    request: deleteOf(`clusters/${encodeURIComponent(alias)}`),
  };
}

/** An audit of the records that no audit has proven yet. */
export function sameNewAudit(flow: Pair): ByHand {
  return {
    command: `srm audit ${quoted(name(flow))} --incremental`,
    request: postOf(flow, "audits", { mode: "incremental" }),
  };
}

export function sameRevert(version: number, comment: string): ByHand {
  return {
    command: commandOf(["config", "revert", String(version)], { comment }),
    request: postTo(`config/versions/${version}/revert`, { comment }),
  };
}

/** The import of a file, whose content is only named. */
export function sameImport(file: string, format: string, replace: boolean, comment: string): ByHand {
  return {
    command: commandOf(["config", "import"], { file, format, replace, comment }),
    request: postTo("properties/import", {
      text: `CONTENT OF ${file}`,
      name: file,
      format,
      replace,
      comment,
    }),
  };
}

/** A new or another value of a property, or null to remove it; the request begins a draft, which is applied after its review. */
export function sameProperty(key: string, value: string | null, comment: string): ByHand {
  const words = value === null ? ["unset", key] : ["set", `${key}=${value}`];
  return {
    command: commandOf(["config", ...words], { comment }),
    request: postTo("config/drafts", { name: key, changes: [{ key, value, comment }] }),
  };
}

/** No command deletes a draft. */
export function sameDiscard(draft_id: number): ByHand {
  return { command: null, request: deleteOf(`config/drafts/${draft_id}`) };
}

export function sameClusterTest(alias: string): ByHand {
  return {
    command: commandOf(["clusters", "test", alias], {}),
    request: postTo(`clusters/${encodeURIComponent(alias)}/test`, {}),
  };
}
