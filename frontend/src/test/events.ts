/** What happened to flows; a test states only what it is about. */
import type { FlowEvent, Gap } from "@/api/types";

const FLOW = { source: "us-east", target: "eu" };

export const anEvent = (change: Partial<FlowEvent> = {}): FlowEvent => ({
  id: 1,
  ...FLOW,
  time_ms: 5,
  scope: "partition",
  from_state: "replicating",
  to_state: "stalled",
  topic: "orders",
  partition: 3,
  task: "east/source/0",
  driver: "berlin",
  cause: null,
  text: null,
  ...change,
});

export const aGap = (change: Partial<Gap> = {}): Gap => ({
  id: 1,
  ...FLOW,
  detected_ms: 3,
  topic: "clicks",
  partition: 0,
  cause: "out_of_range",
  from_offset: 0,
  to_offset: 7,
  records: 7,
  policy: "stop",
  topic_id: "0",
  ...change,
});
