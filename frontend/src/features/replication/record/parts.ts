/** The parts of a record and of its copy, side by side. Pure. */
import type { RecordPair, RecordSide, ShownBytes } from "@/api/types";
import { exactNumber } from "@/lib/format";
import { dayAndClock } from "@/lib/time";

export interface Part {
  name: string;
  source: string;
  target: string;
  differs: boolean;
  /** true: shown in the font of code */
  isContent?: boolean;
}

const NOTHING = "–";
const ABSENT = "none";

type Shown = RecordSide["record"];

/** Every part that one of both records has; those that differ are marked. */
export function partsOf({ original, copy, differences }: RecordPair, withValue: boolean): Part[] {
  const pair = [original.record, copy.record] as const;
  const differs = (part: NonNullable<RecordPair["differences"]>[number]) =>
    differences?.includes(part) ?? false;
  const row = (name: string, text: (record: NonNullable<Shown>) => string, isMarked: boolean) => ({
    name,
    source: pair[0] === null ? NOTHING : text(pair[0]),
    target: pair[1] === null ? NOTHING : text(pair[1]),
    differs: isMarked,
  });
  const headers = headerNames(pair).map((name) => {
    const shown = row(`Header ${name}`, (record) => headerText(record, name), false);
    return { ...shown, differs: differs("headers") && shown.source !== shown.target, isContent: true };
  });
  const counts = row(
    "Headers",
    ({ headers, headers_total }) => headersCount(headers.length, headers_total),
    false,
  );
  // Headers that differ without a mark differ in their order, or beyond those that are shown.
  const isElsewhere = !headers.some((header) => header.differs);
  return [
    row("Offset", ({ offset }) => exactNumber(offset), false),
    row("Time", ({ timestamp_ms }) => recordTime(timestamp_ms), differs("timestamp")),
    { ...row("Key", ({ key }) => bytesText(key), differs("key")), isContent: true },
    row(
      "Size of the value",
      ({ value_size }) => sizeText(value_size),
      hasOtherSize(pair, differs("value"), withValue),
    ),
    ...(withValue
      ? [{ ...row("Value", ({ value }) => bytesText(value), differs("value")), isContent: true }]
      : []),
    ...headers,
    { ...counts, differs: differs("headers") && (counts.source !== counts.target || isElsewhere) },
  ];
}

/** Values that are not shown differ here, even if they are of one size. */
function hasOtherSize([original, copy]: readonly Shown[], differs: boolean, withValue: boolean): boolean {
  return differs && (!withValue || original?.value_size !== copy?.value_size);
}

/** With milliseconds, as Kafka stores it; on a phone, where two are side by side, day and clock have a line each. */
export function recordTime(time_ms: number): string {
  const time = dayAndClock(time_ms).replace(/,\s/, ", ");
  return `${time}.${String(((time_ms % 1000) + 1000) % 1000).padStart(3, "0")}`;
}

/** Bytes as the service shows them: text or Base64, with a note if only the beginning is shown. */
export function bytesText(shown: ShownBytes | null): string {
  if (shown === null) return ABSENT;
  const content = shown.text ?? `base64:${shown.base64}`;
  return shown.is_cut ? `${content}… (the beginning of ${exactNumber(shown.size)} bytes)` : content;
}

function sizeText(size: number | null): string {
  return size === null ? "none: a tombstone" : `${exactNumber(size)} bytes`;
}

function headersCount(shown: number, total: number): string {
  return shown < total ? `${total}, the first ${shown} are shown` : String(total);
}

function headerNames(records: readonly Shown[]): string[] {
  return [...new Set(records.flatMap((record) => record?.headers.map(({ name }) => name) ?? []))];
}

function headerText(record: NonNullable<Shown>, name: string): string {
  const values = record.headers.filter((header) => header.name === name);
  return values.length === 0 ? ABSENT : values.map(({ value }) => bytesText(value)).join(", ");
}
