/** Made-up consumer groups for pictures and browser tests: same shapes as the service. */
import type {
  Group,
  GroupCounts,
  GroupList,
  GroupPlaces,
  GroupReadiness,
  PlaceToTranslate,
  SyncReceipts,
  Translations,
} from "../src/api/types.ts";
import type { FakeFlow } from "./fleet.ts";

const READY = { readiness: "ready", exact: 12, bounded: 0, impossible: 0, rereads: 0 } as const;

function aGroup(group: string, time_ms: number, change: Partial<Group> = {}): Group {
  return {
    group,
    type: "classic",
    state: "active",
    members: 3,
    target_state: "empty",
    target_members: 0,
    partitions: 12,
    uncommitted: 0,
    ...READY,
    causes: [],
    lag: 420,
    reread_bytes: 0,
    reread_ms: 0,
    checkpoint_ms: time_ms - 4_000,
    synced_ms: time_ms - 4_000,
    synced: "level",
    if_source_gone: { readiness: "ready", rereads: 0, causes: [] },
    checked_ms: time_ms - 1_000,
    interval_ms: 5_000,
    ...change,
  };
}

export function groupsOf(flow: FakeFlow, time_ms: number): Group[] {
  const behind = {
    code: "copy_behind",
    text: "orders-7: the group has read 1,204 records that are not copied yet",
    remedy: "wait until the flow has caught up",
    topic: "orders",
    partition: 7,
    readiness: "approximate",
    more_partitions: 0,
  } as const;
  const active = {
    code: "active_on_target",
    text: `the group has 2 members on ${flow.target}, which commit their own offsets there`,
    remedy: `stop the members on ${flow.target}; the offsets are caught up within one period after the last one left`,
    topic: null,
    partition: null,
    readiness: "blocked",
    more_partitions: 0,
  } as const;
  const gone = { readiness: "approximate", rereads: 1_204, causes: [behind] } as const;
  return [
    aGroup("billing", time_ms),
    aGroup("fraud-detection", time_ms, {
      readiness: "approximate",
      causes: [behind],
      exact: 11,
      bounded: 1,
      rereads: 1_204,
      reread_bytes: 310_000,
      reread_ms: 800,
      if_source_gone: { ...gone, causes: [...gone.causes] },
    }),
    aGroup("zahlung/größe 1", time_ms, {
      type: "consumer",
      readiness: "blocked",
      causes: [active, behind],
      lag: null,
      rereads: null,
      reread_bytes: null,
      reread_ms: null,
      target_state: "active",
      target_members: 2,
      synced: "waits_for_members",
      if_source_gone: { readiness: "blocked", rereads: null, causes: [active] },
    }),
    aGroup("reports-nightly", time_ms, { state: "empty", members: 0, lag: 88_400, synced: "written" }),
  ];
}

export function countsOf(groups: readonly Group[]): GroupCounts {
  const count = (readiness: GroupReadiness) => groups.filter((each) => each.readiness === readiness).length;
  return {
    total: groups.length,
    ready: count("ready"),
    approximate: count("approximate"),
    blocked: count("blocked"),
  };
}

export function groupList(flow: FakeFlow, url: URL, time_ms: number): GroupList {
  const all = groupsOf(flow, time_ms);
  const q = url.searchParams.get("q") ?? "";
  const readiness = url.searchParams.get("readiness");
  const items = all.filter(
    (each) => each.group.includes(q) && (readiness === null || each.readiness === readiness),
  );
  return {
    items,
    next_cursor: null,
    as_of_ms: time_ms,
    partial: [],
    counts: countsOf(all),
    sync: { enabled: true, interval_ms: 5_000, effective_interval_ms: 5_000, last_ms: time_ms - 2_000 },
    skipped: [{ group: "shared-queue", reason: "it is a share group, which has no offsets to translate" }],
    skipped_total: 1,
  };
}

export function placesOf(flow: FakeFlow, group: string, time_ms: number): GroupPlaces {
  const known = groupsOf(flow, time_ms).find((each) => each.group === group);
  const remote = { topic: "orders", remote: `${flow.source}.orders`, metadata: "" };
  const logs = { log_start: 10_000, log_end: 25_400, remote_start: 2_000, remote_end: 17_390 };
  return {
    source: flow.source,
    target: flow.target,
    group,
    type: "classic",
    state: "active",
    readiness: known?.readiness ?? "ready",
    causes: known?.causes ?? [],
    unlooked: [],
    partitions: [
      {
        ...remote,
        ...logs,
        partition: 0,
        committed: 25_000,
        kind: "exact",
        reason: "inside_run",
        evidence: "in the run 24,100 to 25,399, which starts at 16,090 on the target",
        downstream: 16_990,
        latest: 16_990,
        rereads: 0,
        mm2_downstream: 16_091,
        checkpoint: 16_990,
        checkpoint_upstream: 25_000,
        checkpoint_ms: time_ms - 4_000,
        target_committed: 16_990,
        is_read: true,
      },
      {
        ...remote,
        ...logs,
        partition: 7,
        committed: 25_400,
        kind: "bounded",
        reason: "copy_behind",
        evidence: "the copy ends before the committed offset",
        downstream: 16_186,
        latest: 17_390,
        rereads: 1_204,
        mm2_downstream: 16_091,
        checkpoint: 16_186,
        checkpoint_upstream: 24_196,
        checkpoint_ms: time_ms - 4_000,
        target_committed: 16_186,
        is_read: true,
      },
      {
        ...remote,
        log_start: 0,
        log_end: 0,
        partition: 8,
        committed: null,
        kind: null,
        reason: null,
        evidence: "",
        downstream: null,
        latest: null,
        rereads: null,
        remote_start: 0,
        remote_end: 0,
        mm2_downstream: null,
        checkpoint: null,
        checkpoint_upstream: null,
        checkpoint_ms: null,
        target_committed: null,
        is_read: true,
      },
    ],
  };
}

export function receiptsOf(flow: FakeFlow, groups: readonly string[], dry_run: boolean): SyncReceipts {
  const named = groups.length > 0 ? groups : ["billing", "fraud-detection"];
  const topic = `${flow.source}.orders`;
  const items = named.flatMap((group) => [
    {
      group,
      topic,
      partition: 0,
      state: "written" as const,
      text: "forward to the translated offset",
      before: 16_400,
      after: 16_990,
      rereads: 0,
      skips: 0,
    },
    {
      group,
      topic,
      partition: 7,
      state: "refused" as const,
      text: `the group has 2 members on ${flow.target}`,
      before: 16_186,
      after: null,
      rereads: null,
      skips: 0,
    },
  ]);
  return {
    source: flow.source,
    target: flow.target,
    dry_run,
    counts: { written: named.length, unchanged: 10, refused: named.length, impossible: 0 },
    items,
    skipped: [],
    unlooked: [],
  };
}

/** The history of a group: the lag rises and falls, and each round writes a checkpoint. */
export function groupValueAt(metric: string, time_ms: number): number | null {
  const wave = 1 + Math.sin(time_ms / 90_000);
  if (metric === "lag_offsets") return Math.round(400 * wave);
  return metric === "checkpoint_latency_ms" ? Math.round(2_000 + 800 * wave) : null;
}

/** All of a topic is one run, which begins 8,010 offsets earlier on the target. */
export function translationsOf(flow: FakeFlow, sent: unknown): Translations {
  const { items } = sent as { items: PlaceToTranslate[] };
  return {
    source: flow.source,
    target: flow.target,
    unlooked: [],
    items: items.map(({ topic, partition, offset = 0, direction = "to_target" }) => {
      const given_offset = offset ?? 0;
      const found = given_offset + (direction === "to_target" ? -8_010 : 8_010);
      const rest = { reason: "inside_run" as const, timestamp_ms: null, rereads: 0 };
      return {
        ...{
          topic,
          partition,
          direction,
          remote: `${flow.source}.${topic}`,
          kind: "exact" as const,
          ...rest,
        },
        ...{ given_offset, offset: found, latest: found },
        evidence: "in the run 24,100 to 25,399, which starts at 16,090 on the target",
      };
    }),
  };
}
