/** Processes of drivers and their tasks; a test states only what it is about. */
import type { Driver, FlowTask } from "@/api/types";

export const aDriver = (change: Partial<Driver> = {}): Driver => ({
  id: "berlin",
  parent: "berlin",
  role: "data",
  host: "node-7",
  pid: 1,
  version: "0.1.0",
  boot: "b1",
  targets: ["west"],
  labels: { region: "eu" },
  capacity: null,
  drain: false,
  leaving: false,
  returning_until_ms: null,
  loop_lag_ms: null,
  herder_status: 1,
  started_ms: 1,
  sent_ms: Date.now(),
  cpu_ratio: 0.1,
  rss_bytes: 1,
  tasks: 3,
  load_percent: 40,
  ...change,
});

export function aTask(change: Partial<FlowTask> = {}): FlowTask {
  return {
    task: "east/source/0",
    kind: "source",
    source: "east",
    target: "west",
    driver: "berlin",
    role: "data",
    boot: null,
    state: "running",
    since_ms: 1,
    generation: 1,
    moved: null,
    cause: null,
    last_error: null,
    frozen_ms: 0,
    live_age_ms: 1,
    applied_revision: 1,
    partitions: 1,
    records_per_second: 1,
    bytes_per_second: 10,
    lag_offsets: 0,
    ...change,
  };
}
