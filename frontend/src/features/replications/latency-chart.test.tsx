import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";
import { someStatistics } from "@/test/statistics";

const HOUR_MS = 3_600_000;
const FROM_MS = 1_700_000_000_000;
const PAST = `from=${FROM_MS}&to=${FROM_MS + HOUR_MS}`;
const FLOWS = [
  aFlow({ target: "a", latency_p95_ms: 21, latency_max_ms: 9_000 }),
  aFlow({ target: "b", latency_p95_ms: 22, latency_max_ms: 8_000 }),
];

/** Points of a range whose average is 5 ms, slowest record 7 s, and p95 as given. */
function stored(p95: readonly (number | null)[]) {
  const step_ms = 60_000;
  const points = p95.map((_, at) => [FROM_MS + at * step_ms, 5, 1, 7_000, 100]);
  const items = FLOWS.map(({ source, target }) => ({ source, target, points, p95 }));
  const range = { from_ms: FROM_MS, to_ms: FROM_MS + p95.length * step_ms, step_ms };
  return { metric: "replication_latency_ms", unit: "ms", ...range, items };
}

function listed() {
  const none = someStatistics();
  const latency = someStatistics({ avg: 6, max: 7_000, p95: 31 });
  const metrics = {
    ...{ bytes_per_second: none, records_per_second: none, wire_bytes_per_second: none, lag_ms: none },
    ...{ replication_latency_ms: latency, checkpoint_latency_ms: none, lag_offsets: none },
    ...{ heartbeat_age_ms: none, gaps: none, duplicates: none },
  };
  const revisions = { is_applied: true, rejected: [] };
  const items = FLOWS.map((flow) => ({ ...flow, labels: {}, proven_until_ms: null, revisions, metrics }));
  return { items, next_cursor: null, as_of_ms: 1, partial: [] };
}

async function open(query: string): Promise<void> {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame(FLOWS, { time_ms: Date.now() }));
  await renderAt(`/replications?metric=latency${query}`, store);
}

const plain = (cell: Element) => cell.textContent?.replace(/\s/g, "");

async function legend(): Promise<HTMLElement> {
  return (await screen.findByRole("columnheader", { name: "Peak" })).closest("table") as HTMLElement;
}

test("the latencies of the chart are the p95 of this second, and say so", async () => {
  answerWith();
  await open("");

  const cells = within(await legend()).getAllByRole("cell");
  expect(cells.map(plain)).toEqual(["22ms", "22ms", "21ms", "21ms"]);
  expect(await screen.findByRole("img", { name: /^Latency p95 of 2 flows,/ })).toBeTruthy();
  expect(screen.getByRole("radio", { name: "Latency p95" })).toBeTruthy();
});

test("stored points are the p95 of their step, from one request for all flows", async () => {
  answerWith({ "/metrics/flows": { status: 200, body: stored([33, null]) } });
  const { reads } = keepRequests();
  await open(`&table=flows&${PAST}`);

  const table = await screen.findByRole("region", { name: "Table of Latency p95" });
  await waitFor(() => expect(within(table).getAllByRole("cell").map(plain)).toEqual(["33ms", "33ms"]));
  const asked = reads.filter(({ path, query }) => path === "/metrics/flows" && query?.includes("latency"));
  expect(asked).toHaveLength(1);
});

test("the legend of a range in the past has the p95 of the range and the highest p95 of a point", async () => {
  const list = { status: 200, body: listed() };
  answerWith({ "/replications": list, "/metrics/flows": { status: 200, body: stored([33, 44, 35]) } });
  await open(`&${PAST}`);

  const table = within(await legend());
  table.getByRole("columnheader", { name: "p95" });
  await waitFor(() =>
    expect(table.getAllByRole("cell").map(plain)).toEqual(["31ms", "44ms", "31ms", "44ms"]),
  );
});

test("the files of the chart are named after the p95", async () => {
  answerWith();
  await open("");
  await userEvent.click(
    await screen.findByRole("button", { name: "Options of the chart flows-latency-p95" }),
  );
  expect(await screen.findByRole("menuitem", { name: "Download as CSV" })).toBeTruthy();
});
