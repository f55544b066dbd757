import { QueryClient } from "@tanstack/react-query";
import { cleanup, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { topicQuery } from "@/api/topic";
import type { FlowTopic } from "@/api/types";
import { TopicFacts } from "@/features/replication/topic/TopicFacts";
import { resolveRange } from "@/lib/range";
import { renderPart } from "@/test/render";
import { keepRequests } from "@/test/requests";

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
} as unknown as FlowTopic;

const factOf = (name: RegExp) => screen.getByText(name, { selector: "dt" });

test("the numbers of a topic are those of the range in the past; what has no history says now", () => {
  renderPart(<TopicFacts topic={TOPIC} isPast measured_ms={null} />);

  expect(factOf(/^Throughput, average/).nextElementSibling?.textContent).toContain("4");
  expect(factOf(/^Records, average/).nextElementSibling?.textContent).toContain("25");
  expect(factOf(/^Latency p50, p95$/).nextElementSibling?.textContent).toMatch(/7.*90/);
  expect(factOf(/^Lag, average/).nextElementSibling?.textContent).toContain("12");
  expect(factOf(/^Partitions, now$/).nextElementSibling?.textContent).toBe("3");
  for (const name of [/^Throughput/, /^Records/, /^Latency p50/, /^Lag/, /^Remote topic/])
    expect(factOf(name).querySelector(".definition")).toBeTruthy();
});

test("numbers of an old report have their age, and a topic without a new record says when the last one was", () => {
  const updated_ms = Date.now() - 150_000;
  renderPart(<TopicFacts topic={{ ...TOPIC, updated_ms }} isPast={false} measured_ms={null} />);
  for (const name of [/^Throughput/, /^Records/, /^Latency/, /^Lag/])
    expect(factOf(name).textContent).toMatch(/, 2\smin\sago/);
  cleanup();

  const idle = { ...TOPIC, latency_p50_ms: null, latency_p95_ms: null, updated_ms: Date.now() - 60_000 };
  renderPart(<TopicFacts topic={idle} isPast={false} measured_ms={Date.now() - 720_000} />);
  expect(factOf(/^Latency/).nextElementSibling?.textContent).toMatch(/last record 12\smin\sago/);
  expect(factOf(/^Lag/).textContent).not.toMatch(/ago/);
});

test("a topic in a range in the past is asked for its statistics over the range", async () => {
  const { reads } = keepRequests(() => Response.json(TOPIC));
  const range = resolveRange({ from: 1_700_002_800_000, to: 1_700_006_400_000 }, Date.now());
  const address = { source: "us-east", target: "eu", topic: "orders" };
  await new QueryClient().fetchQuery(topicQuery(address, range));
  await new QueryClient().fetchQuery(topicQuery(address));

  expect(reads.map(({ query }) => new URLSearchParams(query).get("to_ms"))).toEqual(["1700006400000", null]);
});
