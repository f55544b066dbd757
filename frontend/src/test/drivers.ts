/** Processes of drivers; a test states only what it is about. */
import type { Driver } from "@/api/types";

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
