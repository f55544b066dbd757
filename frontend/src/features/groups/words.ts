/** The words and tones of consumer groups. */
import type { Group, GroupCause, GroupReadiness, PartitionPlace, SyncReceipt } from "@/api/types";
import { plural } from "@/lib/format";
import type { Tone } from "@/lib/status";

/** Most urgent last: the order of the filter. */
export const READINESS: readonly GroupReadiness[] = ["ready", "approximate", "blocked"];

export const READINESS_TONES: Record<GroupReadiness, Tone> = {
  ready: "ok",
  approximate: "warn",
  blocked: "bad",
};

export const READINESS_HINTS: Record<GroupReadiness, string> = {
  ready: "continues on the target at the first record that it has not read",
  approximate: "continues on the target and reads some records again",
  blocked: "cannot continue on the target yet",
};

export const KIND_TONES: Record<NonNullable<PartitionPlace["kind"]>, Tone> = {
  exact: "ok",
  bounded: "warn",
  impossible: "bad",
};

export const RECEIPT_TONES: Record<SyncReceipt["state"], Tone> = {
  written: "ok",
  unchanged: "idle",
  refused: "warn",
  impossible: "bad",
};

const SYNCED: Record<NonNullable<Group["synced"]>, string> = {
  level: "offsets are caught up",
  written: "offsets were written",
  waits_for_members: "waits until its members leave",
  ahead: "ahead of the source",
  off: "offset sync is off",
  refused: "refused the offsets",
};

/** The group on the target in words: its state, and its offsets. */
export function onTarget({ target_state, synced }: Group): { state: string | null; sync: string | null } {
  return {
    state: target_state === null ? null : target_state === "dead" ? "none" : target_state,
    sync: synced === null ? null : SYNCED[synced],
  };
}

/** Sorts as the service does: blocked is the most severe. */
export function severity(readiness: GroupReadiness): string {
  return String(READINESS.indexOf(readiness));
}

export function isReadiness(word: string | undefined): word is GroupReadiness {
  return READINESS.some((known) => known === word);
}

/** The texts of causes; the last one of a kind counts the partitions with this cause that none of them names. */
export function causeTexts(causes: readonly GroupCause[]): string[] {
  const isSame = (a: GroupCause, b: GroupCause) => a.code === b.code && a.readiness === b.readiness;
  return causes.map((cause, place) => {
    const named = causes.filter((other) => isSame(other, cause));
    const more = cause.more_partitions + 1 - named.length;
    const isLast = !causes.slice(place + 1).some((other) => isSame(other, cause));
    if (cause.partition === null || !isLast || more <= 0) return cause.text;
    return `${cause.text} This is the case for ${plural(more, "more partition")} too.`;
  });
}
