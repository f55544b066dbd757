/** Orders in words. */
import type { Action } from "@/api/types";

/** The part of the flow that an order is for. Pure. */
export function placeOf({ topic, partition, task }: Action): string {
  if (task !== null) return `task ${task}`;
  if (topic === "") return "the flow";
  return partition === null ? topic : `${topic}, partition ${partition}`;
}

/** Orders that people know under another name than the stored one. */
const WORDS: Readonly<Record<string, string>> = { hold: "pause", release: "resume" };

/** What is ordered, with its value. Pure. */
export function wordsOf({ event, detail }: Action): string {
  const stored = event.replace("flow.", "");
  const word = WORDS[stored] ?? stored.replaceAll("_", " ");
  return detail === "" ? word : `${word}: ${detail}`;
}

/** The drivers that have applied an order. Pure. */
export function driversOf({ applied_by }: Action): string[] {
  return [...new Set(applied_by.map(({ driver }) => driver))].sort();
}
