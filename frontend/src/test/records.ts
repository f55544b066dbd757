/** Records and their copies; a test states only what it is about. */
import type { RecordPair, RecordSide, ShownBytes } from "@/api/types";

type ShownRecord = NonNullable<RecordSide["record"]>;

export const shown = (text: string): ShownBytes => ({ size: text.length, text, base64: null, is_cut: false });

export const aRecord = (change: Partial<ShownRecord> = {}): ShownRecord => ({
  offset: 41,
  timestamp_ms: 1_760_000_000_123,
  key: shown("order-7"),
  headers: [],
  headers_total: 0,
  value_size: 2,
  value: null,
  ...change,
});

export const aSide = (change: Partial<RecordSide> = {}): RecordSide => ({
  cluster: "us-east",
  topic: "orders",
  partition: 3,
  state: "found",
  text: "us-east has it at 41",
  log_start: 0,
  log_end: 100,
  record: aRecord(),
  ...change,
});

export const aPair = (change: Partial<RecordPair> = {}): RecordPair => ({
  source: "us-east",
  target: "eu-central",
  original: aSide(),
  copy: aSide({ cluster: "eu-central", topic: "us-east.orders", record: aRecord({ offset: 56 }) }),
  evidence: "an offset run has it",
  differences: [],
  ...change,
});
