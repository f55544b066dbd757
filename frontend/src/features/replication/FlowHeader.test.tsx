import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";
import { someStatistics } from "@/test/statistics";

const WARNING =
  "Executor 3 on host x: 5 failed tasks in the last 10 minutes. Read its stderr log on that host.";

test.each([
  ["names an executor", WARNING],
  ["needs no attention", null],
])("a flow whose metrics warning %s", async (_, metrics_warning) => {
  const flow = { source: "us-east", target: "eu-central", served_by: "driver-7", metrics_warning };
  answerWith({ "/replications/us-east/eu-central": { status: 200, body: flow } });

  await renderAt("/replications/us-east/eu-central");

  expect(await screen.findByText("driver-7")).toBeDefined();
  const shown = screen.queryByText(`Metrics of this target: ${WARNING}`);
  expect(shown !== null).toBe(metrics_warning !== null);
});

test.each([
  ["authentication_failed", "cluster eu-central (b:9092) refused the connection: invalid password"],
  ["cluster_unreachable", "eu-central does not answer"],
])("a flow with the cause %s leads to the cluster that it names", async (code, text) => {
  answerWith();
  const cause = { code, text, topic: null, partition: null, since_ms: null };
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ status: "interrupted", reason: `${text}.`, cause })]));
  await renderAt("/replications/us-east/eu-central", store);

  const link = await screen.findByRole("link", { name: "Connection of eu-central" });
  expect(link.getAttribute("href")).toBe("/clusters/eu-central");
  expect(screen.queryByRole("link", { name: "Connection of us-east" })).toBeNull();
});

test("the facts of a flow have one unit per line, whole seconds and a lag with its end", async () => {
  const detail = { source: "us-east", target: "eu-central", served_by: null, catch_up_ms: 9_000 };
  answerWith({ "/replications/us-east/eu-central": { status: 200, body: detail } });
  const store = new LiveStore();
  store.opened();
  const numbers = { latency_p50_ms: 1_234, latency_p95_ms: 2_631, heartbeat_age_ms: 4_696, lag_offsets: 406 };
  store.applyFrame(aFrame([aFlow(numbers)]));
  await renderAt("/replications/us-east/eu-central", store);

  await screen.findByText(/up to date in/);
  const factOf = (name: string) => screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;
  expect(factOf("Latency p50, p95")).toBe("1,234 2,631ms");
  expect(factOf("Source tasks")).toMatch(/^\d+ of \d+ running$/);
  expect(factOf("Heartbeat age")).toBe("5s");
  expect(factOf("Lag")).toBe("406recordsup to date in 9,000ms");
});

test.each([
  ["", 250],
  ["?from=now-2h", 900],
])(
  "the lag in time is the average of the range, and the time to loss that of now: %s",
  async (range, lag_ms) => {
    const flow = { source: "us-east", target: "eu-central", served_by: null, time_to_loss_ms: 90_000 };
    answerWith();
    const averageOf = (avg: number) => ({ ...flow, metrics: { lag_ms: someStatistics({ avg }) } });
    keepRequests(({ path, query }) =>
      path === "/replications/us-east/eu-central"
        ? Response.json(averageOf(query === undefined ? 250 : 900))
        : undefined,
    );
    await renderAt(`/replications/us-east/eu-central${range}`);

    const factOf = (name: string) =>
      screen.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;
    await waitFor(() => expect(factOf("Lag in time, average")).toBe(`${lag_ms}ms`));
    expect(factOf("Time to loss")).toBe("90.0s");
  },
);

test("the title of a flow leads to its clusters", async () => {
  answerWith();
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow()]));
  await renderAt("/replications/us-east/eu-central", store);

  const title = within(await screen.findByRole("heading", { level: 1 }));
  for (const alias of ["us-east", "eu-central"])
    expect(title.getByRole("link", { name: alias }).getAttribute("href")).toBe(`/clusters/${alias}`);
});

test("the heartbeat of a paused flow has a note that a pause copies none, and that of another has not", async () => {
  answerWith();
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ status: "paused", heartbeat_age_ms: 90_000 })]));
  await renderAt("/replications/us-east/eu-central", store);

  const heartbeat = (await screen.findByText("Heartbeat age", { selector: "dt" })).nextElementSibling;
  expect(heartbeat?.textContent).toBe("1minnot copied in a pause");

  act(() => void store.applyFrame(aFrame([aFlow({ status: "healthy", heartbeat_age_ms: 90_000 })])));
  await waitFor(() => expect(screen.queryByText("not copied in a pause")).toBeNull());
});

test("the lag of a flow whose source is not read is unknown, with the reason", async () => {
  answerWith();
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ status: "interrupted", lag_offsets: null })]));
  await renderAt("/replications/us-east/eu-central", store);

  const lag = (await screen.findByText("Lag", { selector: "dt" })).nextElementSibling;
  expect(lag?.textContent).toBe("–not measuredthe source is not read");
});

test("the lag has a line for its end only once there was one", async () => {
  answerWith();
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ lag_offsets: 406 })]));
  await renderAt("/replications/us-east/eu-central", store);
  const lag = (await screen.findByText("Lag", { selector: "dt" })).nextElementSibling;
  expect(lag?.querySelector(".fact-note")).toBeNull();

  act(() => void store.applyFrame(aFrame([aFlow({ lag_offsets: 0 })])));
  expect(await screen.findByText("up to date")).toBeTruthy();
  act(() => void store.applyFrame(aFrame([aFlow({ lag_offsets: 7 })])));
  await waitFor(() => expect(screen.queryByText("up to date")).toBeNull());
  expect(lag?.querySelector(".fact-note")).toBeTruthy();
});
