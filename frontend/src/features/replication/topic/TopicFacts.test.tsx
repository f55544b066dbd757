import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerWith, renderAt } from "@/test/render";

const figures = (avg: number) => ({ avg, min: 0, max: 2 * avg, p50: 7, p95: 90 });

const TOPIC = {
  ...{ topic: "orders", remote_topic: "us-east.orders", partitions: 3, state: "caught_up" },
  ...{ records_per_second: 1, bytes_per_second: 1, lag_offsets: 1, latency_p50_ms: 1, latency_p95_ms: 1 },
  metrics: {
    records_per_second: figures(25),
    bytes_per_second: figures(4_000),
    lag_offsets: figures(12),
    replication_latency_ms: figures(30),
  },
};

const factOf = (name: RegExp) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;

test("the numbers of a topic are those of the range in the past; what has no history says now", async () => {
  answerWith({ "/topics/orders": { status: 200, body: TOPIC } });
  const answer = globalThis.fetch;
  const asked: URLSearchParams[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith("/topics/orders")) asked.push(searchParams);
    return answer(request);
  });
  await renderAt("/replications/us-east/eu/topics/orders?from=1700002800000&to=1700006400000");

  expect(await screen.findByText("Throughput, avg")).toBeTruthy();
  expect(asked[0]?.get("to_ms")).toBe("1700006400000");
  expect(factOf(/^Throughput/)).toContain("4");
  expect(factOf(/^Records/)).toContain("25");
  expect(factOf(/^Latency p50, p95$/)).toMatch(/7.*90/);
  expect(factOf(/^Lag/)).toContain("12");
  expect(screen.getByText("Partitions, now")).toBeTruthy();
  expect(screen.getByText("Caught up, now")).toBeTruthy();
  for (const name of [/^Throughput/, /^Records/, /^Latency p50/, /^Lag/, /^Remote topic/])
    expect(screen.getByText(name, { selector: "dt" }).querySelector(".definition")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Definition of Caught up" })).toBeTruthy();
});
