/** What a pair of records shows, and what to do about it. Pure. */
import type { RecordPair, RecordSide } from "@/api/types";
import { exactNumber } from "@/lib/format";
import type { Tone } from "@/lib/status";

export interface PairFinding {
  tone: Tone;
  headline: string;
  remedy: string;
  /** the source offset from which a reset copies the record again; null: no reset helps */
  resetTo: number | null;
}

const WORDS = { timestamp: "time", key: "key", value: "value", headers: "headers" } as const;

/** The finding of a pair: the same, different, or why one of both is missing. */
export function findingOf(pair: RecordPair): PairFinding {
  const { original, copy, differences } = pair;
  if (differences !== null) return compared(pair, differences);
  const unreachable = [original, copy].find(({ state }) => state === "unreachable");
  if (unreachable !== undefined) return silent(unreachable);
  if (original.record !== null) return withoutCopy(copy, original.record.offset);
  if (copy.record !== null) return withoutOriginal(original, copy);
  return idle("Neither cluster has a record at this place", `${original.text}; ${copy.text}`);
}

function compared({ original, copy }: RecordPair, differences: NonNullable<RecordPair["differences"]>) {
  if (differences.length === 0) {
    return { ...idle("Both records are the same", "Nothing needs to be done."), tone: "ok" as const };
  }
  const names = differences.map((part) => WORDS[part]).join(", ");
  return {
    tone: "bad" as const,
    headline: `The copy differs in: ${names}`,
    remedy:
      `Look for another producer of ${copy.topic} on ${copy.cluster}, and for transforms of the flow. ` +
      `A reset copies the record again, and all after it: the copy at ${exactNumber(copy.record?.offset ?? 0)} remains.`,
    resetTo: original.record?.offset ?? null,
  };
}

function silent({ cluster, text }: RecordSide): PairFinding {
  return {
    tone: "bad",
    headline: `${cluster} could not be read: ${text}`,
    remedy: `Test the connection of ${cluster}, and read the record again.`,
    resetTo: null,
  };
}

function withoutCopy(copy: RecordSide, offset: number): PairFinding {
  if (copy.state === "not_copied") {
    return {
      tone: "bad",
      headline: `The record was not copied: ${copy.text}`,
      remedy:
        "The gaps and events of the topic show whether the flow skipped it. " +
        "A reset copies the record, and all after it a second time.",
      resetTo: offset,
    };
  }
  if (copy.state === "not_copied_yet") {
    return { ...idle(`Not copied yet: ${copy.text}`, "Wait until the flow has caught up."), tone: "warn" };
  }
  if (copy.state === "before_start" || copy.state === "no_record") {
    return idle(`The copy no longer exists: ${copy.text}`, "Consumers of the copy can no longer read it.");
  }
  return idle(
    `The place of the copy is not known: ${copy.text}`,
    "Audit the topic: it finds the copy by content.",
  );
}

function withoutOriginal(original: RecordSide, copy: RecordSide): PairFinding {
  if (original.state === "before_start" || original.state === "no_record") {
    return idle(
      `The original no longer exists: ${original.text}`,
      "The copy remains until its own retention ends.",
    );
  }
  return {
    tone: "warn",
    headline: `No original of this record is known: ${original.text}`,
    remedy: `Look for another producer of ${copy.topic} on ${copy.cluster}.`,
    resetTo: null,
  };
}

function idle(headline: string, remedy: string): PairFinding {
  return { tone: "idle", headline, remedy, resetTo: null };
}
