import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";
import { someStatistics } from "@/test/statistics";

const BUSY = aFlow({ target: "busy", bytes_per_second: 9e6, lag_offsets: 1 });
const QUIET = aFlow({ target: "quiet", bytes_per_second: 1e6, lag_offsets: 500 });
const BROKEN = aFlow({
  source: "eu-central",
  target: "analytics",
  status: "degraded",
  reason: "1 of 2 tasks failed",
  cause: { code: "too_large", text: "too large", topic: "orders", partition: 3, since_ms: null },
  bytes_per_second: null,
  tasks_running: 1,
});

function storeWith(...flows: ReturnType<typeof aFlow>[]): LiveStore {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame(flows, { time_ms: Date.now() }));
  return store;
}

async function flowTable(): Promise<HTMLElement> {
  return within(await screen.findByRole("region", { name: "Table of replication flows" })).getByRole("table");
}

async function flowNames(): Promise<string[]> {
  const rows = within(await flowTable()).getAllByRole("rowheader");
  return rows.map((row) => within(row).getByRole("link").textContent ?? "");
}

beforeEach(() => {
  answerWith();
});

describe("the table of flows", () => {
  test("has the highest throughput first", async () => {
    await renderAt("/replications", storeWith(QUIET, BUSY));
    expect(await flowNames()).toEqual(["us-east to busy", "us-east to quiet"]);
  });

  test("is sorted by the column that is clicked", async () => {
    await renderAt("/replications", storeWith(QUIET, BUSY));
    await userEvent.click(within(await flowTable()).getByRole("button", { name: "Lag" }));
    expect(await flowNames()).toEqual(["us-east to quiet", "us-east to busy"]);
    const heading = within(await flowTable()).getByRole("columnheader", { name: "Lag" });
    expect(heading.getAttribute("aria-sort")).toBe("descending");
  });

  test("keeps what is not measured at the end in both directions", async () => {
    await renderAt("/replications?sort=throughput", storeWith(BROKEN, QUIET, BUSY));
    expect((await flowNames()).at(-1)).toBe("eu-central to analytics");
  });

  test("shows the flows of the filter in the address", async () => {
    await renderAt("/replications?q=eu-central", storeWith(BUSY, BROKEN));
    expect(await flowNames()).toEqual(["eu-central to analytics"]);
  });

  test("can be filtered by status", async () => {
    await renderAt("/replications?status=degraded", storeWith(BUSY, BROKEN));
    expect(await flowNames()).toEqual(["eu-central to analytics"]);
  });

  test("is filtered by a status that is clicked in the tile, and shows all after a second click", async () => {
    const user = userEvent.setup();
    await renderAt("/replications?q=e", storeWith(BROKEN, BUSY));
    const isStatus = { name: /^1\sdegraded$/ };
    await user.click(await screen.findByRole("link", isStatus));
    await waitFor(async () => expect(await flowNames()).toEqual(["eu-central to analytics"]));
    await user.click(await screen.findByRole("link", isStatus));
    await waitFor(async () => expect(await flowNames()).toHaveLength(2));
  });

  test("shows how many consumer groups are ready, and the others in the title", async () => {
    const groups = { total: 12, ready: 9, approximate: 2, blocked: 1 };
    await renderAt("/replications", storeWith(aFlow({ groups }), aFlow({ target: "x", groups: null })));
    const table = within(await flowTable());
    expect((await table.findByText("/ 12")).closest("span.figure")?.getAttribute("title")).toBe(
      "9 ready, 2 approximate, 1 blocked",
    );
  });

  test("says why a flow is not healthy and where", async () => {
    await renderAt("/replications", storeWith(BROKEN));
    expect(within(await flowTable()).getByText(/1 of 2 tasks failed/).textContent).toContain(
      "orders, partition\u00a03",
    );
  });

  test("the legend of the chart is sorted by value, not by name", async () => {
    await renderAt("/replications?metric=lag", storeWith(BUSY, QUIET));
    const legend = (await screen.findByRole("columnheader", { name: "Peak" })).closest("table");
    const names = within(legend as HTMLElement).getAllByRole("rowheader");
    expect(names.map((name) => name.textContent)).toEqual(["us-east to quiet", "us-east to busy"]);
  });

  test("the peak of a range in the past is the highest value within it", async () => {
    const rate = someStatistics({ avg: 4e6, max: 8e6 });
    const none = someStatistics();
    const metrics = {
      ...{ bytes_per_second: rate, records_per_second: none, wire_bytes_per_second: none, lag_ms: none },
      ...{ replication_latency_ms: none, checkpoint_latency_ms: none, lag_offsets: none },
      ...{ heartbeat_age_ms: none, gaps: none, duplicates: none },
    };
    const revisions = { is_applied: true, rejected: [] };
    const items = [{ ...BUSY, labels: {}, proven_until_ms: null, revisions, metrics }];
    answerWith({
      "/replications": { status: 200, body: { items, next_cursor: null, as_of_ms: 1, partial: [] } },
    });
    await renderAt("/replications?from=1700000000000&to=1700003600000", storeWith(BUSY));
    const legend = (await screen.findByRole("columnheader", { name: "Peak" })).closest("table");
    const cells = () => within(legend as HTMLElement).getAllByRole("cell");
    const texts = () => cells().map((cell) => cell.textContent?.replace(/\s/g, ""));
    await waitFor(() => expect(texts()).toEqual(["4.00MB/s", "8.00MB/s"]));
  });

  test("has no value of now for a flow that stopped within the range", async () => {
    const store = storeWith(BUSY);
    store.applyFrame(aFrame([{ ...BUSY, bytes_per_second: null }], { time_ms: Date.now() + 1_000 }));
    await renderAt("/replications", store);
    const legend = (await screen.findByRole("columnheader", { name: "Peak" })).closest("table");
    const cells = within(legend as HTMLElement).getAllByRole("cell");
    expect(cells.map((cell) => cell.textContent?.replace(/\s/g, ""))).toEqual(["–notmeasured", "9.00MB/s"]);
  });

  test("a press on a line of the legend draws it alone, in the address; a second one draws all", async () => {
    await renderAt("/replications", storeWith(BUSY, QUIET));
    const line = await screen.findByTitle("Show us-east to quiet only");
    await userEvent.click(line);
    expect(line.getAttribute("aria-pressed")).toBe("true");
    await screen.findByRole("img", { name: /^Throughput of 1 flow,/ });
    await userEvent.click(line);
    await screen.findByRole("img", { name: /^Throughput of 2 flows,/ });
  });

  test("the marks of the chart are those of the flows that are drawn, read in one request", async () => {
    const event = { ...{ task: "", topic: "orders", partition: 3, text: null }, to_state: "stalled" };
    const events = [BUSY, QUIET].map(({ source, target }, at) => ({ ...event, source, target, time_ms: at }));
    answerWith({ "/marks": { status: 200, body: { events, gaps: [], versions: [], is_cut: false } } });
    const { reads } = keepRequests();
    await renderAt("/replications?only=us-east->quiet", storeWith(QUIET, BUSY));

    expect(await screen.findByRole("img", { name: /1 event in this range/ })).toBeTruthy();
    const marks = within(screen.getByRole("list", { name: "Marks" })).getAllByRole("listitem");
    expect(marks.map(({ textContent }) => textContent)).toEqual([
      "Stalled: us-east → quiet, orders, partition\u00a03",
    ]);
    const asked = reads.find(({ path }) => path === "/marks");
    expect(new URLSearchParams(asked?.query).getAll("flow")).toEqual(["us-east->busy", "us-east->quiet"]);
  });

  test("the chart has the same menu as those of a flow", async () => {
    await renderAt("/replications", storeWith(BUSY, QUIET));
    await userEvent.click(
      await screen.findByRole("button", { name: "Options of the chart flows-throughput" }),
    );
    await userEvent.click(await screen.findByRole("menuitem", { name: "View as table" }));
    const table = await screen.findByRole("region", { name: "Table of Throughput" });
    within(table).getByRole("columnheader", { name: "us-east → busy" });
  });

  test("says that a number is not measured and never shows 0 for it", async () => {
    await renderAt("/replications", storeWith(BROKEN));
    const table = within(await flowTable());
    const latency = table.getAllByText("not measured");
    expect(latency).toHaveLength(1);
    const checkpoint = table.getAllByText("not loaded");
    expect(checkpoint).toHaveLength(1);
  });
});

describe("the states of the page", () => {
  test("a filter that hides everything can be cleared", async () => {
    await renderAt("/replications?q=nowhere", storeWith(BUSY));
    await userEvent.click(await screen.findByRole("button", { name: "Clear the filter" }));
    expect(await flowNames()).toEqual(["us-east to busy"]);
  });

  test("no flows at all is told apart from hidden ones", async () => {
    await renderAt("/replications", storeWith());
    expect(await screen.findByRole("heading", { name: "Copy the first record" })).toBeTruthy();
  });

  test.each(["viewer", "operator"])(
    "the first step says to a person with the role %s who may add clusters",
    async (role) => {
      const permissions = role === "operator" ? ["flows.change"] : [];
      const me = { username: "ada", role, permissions };
      answerWith({ "/me": { status: 200, body: me } });
      await renderAt("/replications", storeWith());
      expect(
        await screen.findByText("Adding clusters needs the admin role: ask an administrator."),
      ).toBeTruthy();
      expect(screen.queryByRole("link", { name: "Add a cluster" })).toBeNull();
    },
  );

  const clusters = (...reachable: (boolean | null)[]) => ({
    status: 200,
    body: {
      items: reachable.map((isReached, at) => ({ alias: `c${at}`, reachable: isReached })),
      ...{ next_cursor: null, as_of_ms: 1, partial: [] },
    },
  });

  test("two clusters that answer are enough for the first flow", async () => {
    const me = { username: "bo", role: "operator", permissions: ["flows.act", "flows.change"] };
    answerWith({
      "/me": { status: 200, body: me },
      "/api/v2/clusters": clusters(true, false, true),
    });
    await renderAt("/replications", storeWith());
    expect(await screen.findByRole("link", { name: "New replication" })).toBeTruthy();
    expect(screen.getByText("2 of 3 clusters answer.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Test c1" })).toBeTruthy();
  });

  test("one cluster that answers is not enough, and viewers get no test", async () => {
    answerWith({ "/api/v2/clusters": clusters(true, false) });
    await renderAt("/replications", storeWith());
    expect(await screen.findByText(/A flow needs two clusters that answer/)).toBeTruthy();
    await screen.findByText(/Your role cannot create flows/);
    expect(screen.queryByRole("link", { name: /^Test / })).toBeNull();
    expect(screen.queryByRole("link", { name: "New replication" })).toBeNull();
  });

  test("the first steps are not told before the clusters are known", async () => {
    answerWith({ "/api/v2/clusters": { status: 503, body: { title: "No", detail: "no clusters today" } } });
    await renderAt("/replications", storeWith());
    expect(await screen.findByText("no clusters today")).toBeTruthy();
    expect(screen.queryByText("Add two clusters")).toBeNull();
  });

  test("waiting shows that something is loading", async () => {
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    await renderAt("/replications");
    expect(await screen.findByRole("progressbar", { name: "Loading the flows" })).toBeTruthy();
  });

  test("an error shows the request's id and a way to try again", async () => {
    const problem = {
      title: "The request failed",
      detail: "the database does not answer",
      request_id: "7f3a1c",
    };
    answerWith({
      "/summary": { status: 503, body: problem },
      "/metrics/flows": { status: 503, body: problem },
    });
    await renderAt("/replications", storeWith(BUSY));
    expect(await screen.findByText("the database does not answer", { exact: false })).toBeTruthy();
    expect(screen.getByText("7f3a1c")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  test("a failure of everything is told once, and nothing waits for ever", async () => {
    const problem = { detail: "the database does not answer", request_id: "7f3a1c" };
    const failed = { status: 503, body: problem };
    answerWith({ "/replications": failed, "/summary": failed, "/metrics/flows": failed });
    await renderAt("/replications");
    expect(await screen.findByText("Parts of this page could not be read:")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());
    expect(screen.getAllByText("the database does not answer", { exact: false })).toHaveLength(1);
    expect(screen.getAllByRole("button", { name: "Retry" })).toHaveLength(1);
    for (const what of ["The topology", "The chart", "The flows"])
      expect(screen.getByText(`${what} could not be loaded`)).toBeTruthy();
  });

  test("a missing right is told apart from an error", async () => {
    answerWith({ "/replications": { status: 403, body: { detail: "no" } } });
    await renderAt("/replications");
    expect(await screen.findByText("Your role may not see the flows")).toBeTruthy();
  });

  test("old numbers stay on the page while the connection is lost", async () => {
    const store = await renderAt("/replications", storeWith(BUSY));
    await flowTable();
    store.lost();
    await waitFor(() => expect(screen.getByText("Reconnecting")).toBeTruthy());
    expect(await flowNames()).toEqual(["us-east to busy"]);
  });

  test("a part that does not answer is named", async () => {
    const partial = [
      { peer: "redis", error: "no answer", age_ms: null },
      { peer: "http://a:1", error: "cannot be reached", age_ms: 4_000 },
    ];
    answerWith({
      "/replications": { status: 200, body: { items: [], next_cursor: null, as_of_ms: 1, partial } },
    });
    await renderAt("/replications", storeWith(BUSY));
    const note = await screen.findByText(/redis: no answer/);
    expect(note.textContent).not.toContain("old");
    expect(screen.getByText(/http:\/\/a:1: cannot be reached; numbers are 4 s old/)).toBeTruthy();
  });

  test("an ended session asks to sign in again over the page", async () => {
    const store = await renderAt("/replications", storeWith(BUSY));
    store.signedOut();
    expect(await screen.findByRole("dialog", { name: "Your session has ended" })).toBeTruthy();
  });
});
