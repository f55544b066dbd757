import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { TopicPage } from "@/features/replication/topic/TopicPage";
import { clockTime } from "@/lib/time";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { anEvent } from "@/test/events";
import { answerWith, renderAlone, renderAt } from "@/test/render";

const STEP_MS = 10_000;
test.each([
  [false, "1 event in this range"],
  [true, "The newest 1 event of this range"],
])("events of a range that are not all read are not counted as all", async (is_cut, words) => {
  answerWith({ "/marks": { status: 200, body: { events: [anEvent()], gaps: [], versions: [], is_cut } } });
  await renderAt("/replications/us-east/eu");

  expect(await screen.findByText(words)).toBeTruthy();
});

test.each([
  ["events that need attention", [anEvent()], "bad"],
  ["changes of the configuration", [], "config"],
])("%s have the colour of their marks", async (_, events, tone) => {
  const versions = [{ at_ms: 5, number: 3, author: "ada", comment: "" }];
  answerWith({ "/marks": { status: 200, body: { events, gaps: [], versions, is_cut: false } } });
  await renderAt("/replications/us-east/eu");

  expect((await screen.findByText(/1 change of the configuration in this range$/)).dataset.tone).toBe(tone);
});

test("a comparison without stored points says so, and the values of a past range have their time", async () => {
  answerWith();
  await renderAt("/replications/us-east/eu?compare=day&from=1700000000000&to=1700000600000");

  expect((await screen.findAllByText(/yesterday: nothing was measured then$/)).length).toBeGreaterThan(1);
  expect(screen.getAllByText("At the end of the range:").length).toBeGreaterThan(0);
});

test("a stored value beside a newer live one has its time", async () => {
  const now_ms = Date.now();
  const from_ms = Math.floor(now_ms / STEP_MS) * STEP_MS - 5 * STEP_MS;
  const points = [[from_ms, 5, 5, 5, 1]];
  answerWith({ "/series": { status: 200, body: { from_ms, step_ms: STEP_MS, points, details: null } } });
  const store = new LiveStore();
  store.opened();
  const flow = aFlow({ target: "eu", bytes_per_second: 0, updated_ms: now_ms });
  store.applyFrame(aFrame([flow], { time_ms: now_ms }));
  await renderAt("/replications/us-east/eu", store);

  const sent = await screen.findByText(`at ${clockTime(from_ms + STEP_MS / 2)}`, { exact: false });
  expect(sent.closest("button")?.textContent).toMatch(/^Sent5/);
  const copied = within(screen.getByRole("list", { name: "Lines of Throughput" })).getByTitle(
    "Show Copied only",
  );
  expect(copied.textContent).toMatch(/^Copied0/);
  expect(copied.textContent).not.toMatch(/ at /);
});

test("the newest latency of an idle topic has its time, in the chart's key and in the facts", async () => {
  const from_ms = Math.floor(Date.now() / STEP_MS) * STEP_MS - 30 * STEP_MS;
  const series = { from_ms, step_ms: STEP_MS, points: [[from_ms, 5, 5, 5, 1]], details: [[5, 37, 38, 39]] };
  const topic = { topic: "orders", remote_topic: null, state: null, updated_ms: null, latency_p95_ms: null };
  answerWith({
    "/series": { status: 200, body: series },
    "/topics/orders": { status: 200, body: topic },
    "/drift": { status: 404, body: {} },
  });
  await renderAlone(
    "/replications/$source/$target/topics/$topic",
    <TopicPage />,
    "/replications/us-east/eu/topics/orders",
  );

  const key = within(await screen.findByRole("list", { name: "Lines of Replication latency" }));
  await waitFor(() =>
    expect(key.getByTitle("Show p95 only").textContent).toBe(
      `p9538ms at ${clockTime(from_ms + STEP_MS / 2)}`,
    ),
  );
  expect(screen.getByText(/^last record [45]\smin\sago$/)).toBeTruthy();
});

test("the address holds which charts are tables and which have a logarithmic scale", async () => {
  answerWith();
  await renderAt("/replications/us-east/eu?table=throughput&log=latency");

  expect(await screen.findByRole("region", { name: "Table of Throughput" })).toBeTruthy();
  expect(screen.queryByRole("region", { name: /^Table of (?!Throughput)/ })).toBeNull();
  expect(screen.getByRole("button", { name: /^Log scale of/, pressed: true })).toBeTruthy();
});

test("an idle flow and a silent one have different reasons for a chart without points", async () => {
  answerWith();
  const now_ms = Date.now();
  const store = new LiveStore();
  store.opened();
  const idle = aFlow({
    target: "eu",
    records_per_second: 0,
    latency_p50_ms: null,
    latency_p95_ms: null,
    latency_p99_ms: null,
    latency_max_ms: null,
    updated_ms: now_ms,
  });
  store.applyFrame(aFrame([idle], { time_ms: now_ms }));
  await renderAt("/replications/us-east/eu", store);
  expect(await screen.findByText("No record was copied in this range")).toBeTruthy();

  cleanup();
  await renderAt("/replications/us-east/eu");
  expect(await screen.findAllByText("No metrics in this range: no driver reported")).not.toHaveLength(0);
  expect(screen.queryByText("No record was copied in this range")).toBeNull();
});

test("the key of a chart has the value of its heading", async () => {
  const now_ms = Date.now();
  answerWith();
  const store = new LiveStore();
  store.opened();
  for (const [age_ms, bytes_per_second] of [
    [1_000, 2_000_000],
    [0, 8_000_000],
  ] as const) {
    const time_ms = now_ms - age_ms;
    store.applyFrame(aFrame([aFlow({ target: "eu", bytes_per_second, updated_ms: time_ms })], { time_ms }));
  }
  await renderAt("/replications/us-east/eu", store);

  const card = within(await screen.findByRole("region", { name: "Throughput" }));
  const key = await card.findByTitle("Show Copied only");
  expect(key.textContent).toBe("Copied8.00MB/s");
});
