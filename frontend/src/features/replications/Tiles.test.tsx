import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { Tiles } from "@/features/replications/Tiles";
import { clockTime } from "@/lib/time";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAlone, SUMMARY } from "@/test/render";
import { someStatistics } from "@/test/statistics";

const DAY_MS = 86_400_000;
const SLOW = aFlow({ target: "slow", latency_p95_ms: 2_314, lag_offsets: 1_500 });
const FAST = aFlow({ target: "fast", latency_p95_ms: 20, lag_offsets: 250 });
const STILL = aFlow({ target: "still", status: "disabled", latency_p95_ms: null, lag_offsets: null });
const METRICS = [
  "bytes_per_second",
  "records_per_second",
  "replication_latency_ms",
  "checkpoint_latency_ms",
  "lag_offsets",
];

function storeWith(...flows: ReturnType<typeof aFlow>[]): LiveStore {
  const store = new LiveStore();
  store.applyFrame(aFrame(flows, { time_ms: Date.now() }));
  return store;
}

/** What REST has of a flow: the p95 of its metrics, and since when its proof is old. */
function listed(flow: ReturnType<typeof aFlow>, p95: number | null, proven_until_ms: number | null) {
  return {
    ...flow,
    proven_until_ms,
    labels: {},
    revisions: { is_applied: true, rejected: [] },
    metrics: Object.fromEntries(METRICS.map((metric) => [metric, someStatistics({ p95 })])),
  };
}

function answerFlows(...items: ReturnType<typeof listed>[]): void {
  const body = { items, next_cursor: null, as_of_ms: Date.now(), partial: [] };
  const summary = Object.keys(SUMMARY.series).map((metric) => [metric, someStatistics()]);
  answerWith({
    "/replications": { status: 200, body },
    "/summary": { status: 200, body: { ...SUMMARY, metrics: Object.fromEntries(summary) } },
  });
}

function openTiles(store: LiveStore, query = ""): Promise<unknown> {
  return renderAlone("/replications", <Tiles />, `/replications${query}`, store);
}

async function tile(label: string): Promise<HTMLElement> {
  const tiles = within(await screen.findByRole("region", { name: /^All flows/ }));
  return (await tiles.findByText(label, { selector: ".tile-label" })).closest(".tile") as HTMLElement;
}

const texts = (box: HTMLElement) =>
  [...box.querySelectorAll(".tile-value, .tile-unknown, .tile-note")].map(({ textContent }) => textContent);

beforeEach(() => answerWith());

test("the worst latency is told with the name of its flow", async () => {
  await openTiles(storeWith(FAST, SLOW, STILL));
  expect(texts(await tile("Latency p95"))).toEqual(["2,314ms", "worst: us-east → slow"]);
});

test("the lag is the sum of all flows, with the exact number in its title", async () => {
  await openTiles(storeWith(FAST, SLOW, STILL));
  const lag = await tile("Lag");
  expect(texts(lag)).toEqual(["1.75krecords", "behind the sources, now"]);
  expect(lag.title).toBe("1,750");
});

test("flows that should have a lag and have none are counted, and nothing measured is not 0", async () => {
  await openTiles(storeWith(SLOW, aFlow({ lag_offsets: null, latency_p95_ms: null })));
  expect(texts(await tile("Lag"))).toEqual(["1.50krecords", "at least: 1 of 2 active flows measured"]);
});

test("numbers that are old stay, with their time in place of the note", async () => {
  const store = storeWith(FAST, SLOW);
  store.opened();
  store.lost();
  await openTiles(store);
  const asOf = `As of ${clockTime(store.lastUpdate() ?? 0)}`;
  expect(texts(await tile("Lag"))).toEqual(["1.75krecords", asOf]);
  expect(texts(await tile("Throughput"))).toEqual(["2.00MB/s", asOf]);
});

test("without a measured flow there is no worst one", async () => {
  await openTiles(storeWith(STILL));
  expect(texts(await tile("Latency p95"))).toEqual(["not measured", "no flow measured"]);
});

test("in a range in the past the worst flow is that of the range", async () => {
  answerFlows(listed(SLOW, 7, null), listed(FAST, 90, null));
  await openTiles(storeWith(FAST, SLOW), "?from=1700000000000&to=1700003600000");
  const latency = await tile("Latency p95");
  await waitFor(() => expect(texts(latency)).toEqual(["90ms", "worst: us-east → fast"]));
});

test("the oldest proof has its age, its flow and how many flows are proven", async () => {
  const now_ms = Date.now();
  answerFlows(
    listed(SLOW, 7, now_ms - 3 * DAY_MS),
    listed(FAST, 7, now_ms - DAY_MS),
    listed(aFlow(), 7, null),
    listed(STILL, null, null),
  );
  await openTiles(storeWith(FAST, SLOW, STILL));
  await screen.findByText("2 of 3 flows proven");
  expect(texts(await tile("Oldest proof"))).toEqual(["3d ago", "us-east → slow", "2 of 3 flows proven"]);
});

test("flows without proofs are told as such", async () => {
  answerFlows(listed(SLOW, 7, null));
  await openTiles(storeWith(SLOW));
  await screen.findByText("0 of 1 flow proven");
  expect(texts(await tile("Oldest proof"))).toEqual(["none yet", "0 of 1 flow proven"]);
});
