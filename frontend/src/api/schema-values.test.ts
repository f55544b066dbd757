import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { flowRowOf } from "@/api/flow/flow-row";
import type { Flow } from "@/api/types";
import { schemaDefinitions, schemaValues } from "../../scripts/gen-values.mjs";

const document = JSON.parse(readFileSync("openapi.json", "utf8"));

describe("the values generated from openapi.json", () => {
  it("are those of the committed document", () => {
    expect(readFileSync("src/api/schema-values.ts", "utf8")).toBe(schemaValues(document));
    expect(readFileSync("src/components/definition/definitions.ts", "utf8")).toBe(
      schemaDefinitions(document),
    );
  });

  it("turn a flow of REST into a row with every live column", () => {
    const latest = (value: number) => ({ latest: value, p50: 5, p95: 6, max: 7 });
    const flow = {
      source: "east",
      target: "west",
      status: "healthy",
      reason: "All tasks are copying.",
      cause: null,
      since_ms: 1,
      topics: 2,
      partitions: 3,
      tasks: { running: 4, total: 8 },
      metrics: {
        records_per_second: latest(10),
        bytes_per_second: latest(20),
        lag_offsets: latest(30),
        replication_latency_ms: latest(0),
        heartbeat_age_ms: latest(40),
      },
    } as unknown as Flow;

    const row = flowRowOf(flow, 99);

    expect(Object.keys(row).sort()).toEqual(
      Object.keys(document.components.schemas.LiveFlowRow.properties).sort(),
    );
    expect(row).toMatchObject({
      key: "east->west",
      records_per_second: 10,
      bytes_per_second: 20,
      lag_offsets: 30,
      latency_p50_ms: 5,
      latency_p95_ms: 6,
      latency_max_ms: 7,
      tasks_running: 4,
      tasks_total: 8,
      heartbeat_age_ms: 40,
      updated_ms: 99,
    });
  });
});
