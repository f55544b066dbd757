/** Orders in words. */
import type { Action, Reset } from "@/api/types";
import { bytesPerSecond, exactNumber, joined, partName, plural } from "@/lib/format";
import type { Tone } from "@/lib/status";
import { sourceTaskName } from "@/lib/tasks";
import { capitalized, wordOf } from "@/lib/words";

export const ORDER_STATES: Record<Action["state"], { tone: Tone; word: string }> = {
  ordered: { tone: "idle", word: "Asked" },
  published: { tone: "warn", word: "At the drivers" },
  applied: { tone: "ok", word: "Done" },
  refused: { tone: "bad", word: "Refused" },
  overtaken: { tone: "idle", word: "Overtaken" },
  expired: { tone: "idle", word: "Expired" },
};

export const RESET_STATES: Record<Reset["state"], { tone: Tone; word: string }> = {
  requested: { tone: "warn", word: "Pending" },
  done: { tone: "ok", word: "Done" },
  overtaken: { tone: "idle", word: "Overtaken" },
};

export const REJECTED: { tone: Tone; word: string } = { tone: "bad", word: "Rejected" };

/** The part of the flow that an order is for. Pure. */
export function placeOf({ topic, partition, task }: Action): string {
  if (task !== null) return capitalized(sourceTaskName(task));
  if (topic === "") return "The flow";
  return partName(topic, partition);
}

/** Orders that people know under another name than the stored one. */
const WORDS: Readonly<Record<string, string>> = { hold: "pause", release: "resume" };

/** What is ordered, with its value. Pure. */
export function wordsOf({ event, detail }: Action): string {
  const stored = event.replace("flow.", "");
  const word = wordOf(WORDS[stored] ?? stored);
  const value = detail
    .replace(/(\d+) bytes\/s/g, (_, rate) => joined(bytesPerSecond(Number(rate))))
    .replace(/\d{4,}/g, (digits) => exactNumber(Number(digits)));
  return detail === "" ? word : `${word}: ${value}`;
}

/** The drivers that have applied an order. Pure. */
export function driversOf({ applied_by }: Action): string[] {
  return [...new Set(applied_by.map(({ driver }) => driver))].sort();
}

/** What a published order waits for; empty: nothing. Pure. */
export function waitingText({ state, revision, tasks }: Action): string {
  if (state !== "published") return "";
  if (tasks.length === 0) return "no task of the flow reports";
  const behind = tasks.filter(
    ({ applied_revision: applied }) => revision === null || applied === null || applied < revision,
  );
  return behind.length === 0 ? "" : `${behind.length} of ${plural(tasks.length, "task")} left`;
}
