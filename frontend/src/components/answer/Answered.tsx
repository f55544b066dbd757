import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { reasonOf } from "@/api/problem";
import { type MissingPart, missingTexts } from "@/components/answer/missing";
import { useOutage } from "@/components/answer/outage";
import { ErrorState, LoadingRows } from "@/components/states";
import { clockTime } from "@/lib/time";

type Answer<Data> = Pick<UseQueryResult<Data>, "data" | "error" | "dataUpdatedAt" | "refetch">;

interface AnsweredProps<Data> {
  /** the subject of the messages, such as "drivers" */
  what: string;
  answer: Answer<Data>;
  /** the expected number of rows, for which space is reserved while they load */
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** What the service answered, with its states: loading, error, partial, and stale with its time. */
export function Answered<Data>({ what, answer, rows = 3, children }: AnsweredProps<Data>) {
  const { data, error } = answer;
  if (data === undefined) {
    if (error === null) return <LoadingRows rows={rows} label={`Loading the ${what}`} />;
    return <ErrorState what={`The ${what}`} error={error} onRetry={() => void answer.refetch()} />;
  }
  return (
    <>
      <StaleNote error={error} dataUpdatedAt={answer.dataUpdatedAt} />
      <PartialNote parts={partsOf(data)} />
      {children(data)}
    </>
  );
}

function partsOf(data: unknown): readonly MissingPart[] {
  const isList = typeof data === "object" && data !== null && "partial" in data;
  return isList ? (data.partial as readonly MissingPart[]) : [];
}

/** What is shown could not be read again: since when it is what it was. */
export function StaleNote({ error, dataUpdatedAt }: Pick<Answer<unknown>, "error" | "dataUpdatedAt">) {
  const outage = useOutage();
  if (error === null || dataUpdatedAt === 0) return null;
  const reason = reasonOf(error);
  return (
    <p className="card-warning" data-tone="idle">
      As of {clockTime(dataUpdatedAt)}. {outage?.reason !== reason && reason}
    </p>
  );
}

/** Which clusters or services are missing in an answer, in one note. */
export function PartialNote({ parts }: { parts: readonly MissingPart[] }) {
  if (parts.length === 0) return null;
  const isShown = parts.every(({ age_ms }) => age_ms !== null);
  return (
    <p className="card-warning" data-tone="warn">
      <strong>{isShown ? "Some numbers are old." : "Not everything is shown."}</strong>{" "}
      {missingTexts(parts).map((text) => (
        <span key={text}>{text}</span>
      ))}
    </p>
  );
}
