import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Group, PartitionPlace, SyncReceipts } from "@/api/types";
import { answerWith, renderAt } from "@/test/render";

const AT = "/replications/us-east/eu-central?tab=groups";
const NOW_MS = Date.now();

const CAUSE = {
  code: "copy_behind",
  text: "orders-1: 12 records are not copied yet",
  remedy: "Wait until the flow has caught up.",
  topic: "orders",
  partition: 1,
  readiness: "approximate",
  more_partitions: 0,
} as const;

const aGroup = (change: Partial<Group> = {}): Group => ({
  group: "billing",
  type: "classic",
  state: "active",
  members: 3,
  target_state: "empty",
  target_members: 0,
  readiness: "ready",
  partitions: 2,
  exact: 2,
  bounded: 0,
  impossible: 0,
  uncommitted: 0,
  lag: 40,
  rereads: 0,
  reread_bytes: 0,
  reread_ms: 0,
  checkpoint_ms: NOW_MS - 4_000,
  synced_ms: NOW_MS - 4_000,
  synced: "written",
  causes: [],
  if_source_gone: null,
  checked_ms: NOW_MS,
  interval_ms: 5_000,
  ...change,
});

const aPlace = (change: Partial<PartitionPlace> = {}): PartitionPlace => ({
  topic: "orders",
  partition: 1,
  remote: "us-east.orders",
  committed: 25_000,
  metadata: "",
  log_start: 0,
  log_end: 25_400,
  kind: "exact",
  reason: "inside_run",
  evidence: "in the run 24,100 to 25,399",
  downstream: 16_990,
  latest: 16_990,
  rereads: 0,
  remote_start: 0,
  remote_end: 17_390,
  mm2_downstream: 16_091,
  checkpoint: 16_990,
  checkpoint_upstream: 25_000,
  checkpoint_ms: NOW_MS,
  target_committed: null,
  is_read: true,
  ...change,
});

const list = (items: Group[], change: object = {}) => ({
  status: 200,
  body: {
    items,
    next_cursor: null,
    as_of_ms: NOW_MS,
    partial: [],
    counts: { total: 4, ready: 2, approximate: 1, blocked: 1 },
    sync: { enabled: true, interval_ms: 5_000, effective_interval_ms: 60_000, last_ms: null },
    skipped: [],
    skipped_total: 0,
    ...change,
  },
});

const places = (...partitions: PartitionPlace[]) => ({
  status: 200,
  body: { source: "us-east", target: "eu-central", group: "billing", partitions, unlooked: [], causes: [] },
});

const receipts = (dry_run: boolean, written: number): { status: number; body: SyncReceipts } => ({
  status: 200,
  body: {
    source: "us-east",
    target: "eu-central",
    dry_run,
    counts: { written, unchanged: 3, refused: 1, impossible: 0 },
    skipped: [],
    unlooked: [],
    items: [
      {
        group: "billing",
        topic: "us-east.orders",
        partition: 0,
        state: "refused",
        text: "the group has 2 members on eu-central",
        before: 16_400,
        after: null,
        rereads: null,
        skips: 0,
      },
    ],
  },
});

const operator = { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } };
const viewer = { status: 200, body: { username: "vi", role: "viewer", permissions: [] } };

async function cells(): Promise<(string | null)[][]> {
  const table = await screen.findByRole("region", { name: "Table of consumer groups" });
  const [, ...rows] = within(table).getAllByRole("row");
  return rows.map((row) => [...row.children].map((cell) => cell.textContent));
}

test("a group is shown with its readiness, the first cause, lag and what it would read again", async () => {
  const waiting = aGroup({
    group: "payments",
    readiness: "approximate",
    causes: [{ ...CAUSE, readiness: "ready", text: "check the subscription" }, CAUSE],
    rereads: 1_204,
    reread_bytes: 310_000,
    reread_ms: 800,
    lag: null,
    checkpoint_ms: null,
    synced: "waits_for_members",
  });
  answerWith({ "/groups": list([waiting, aGroup()]), "/me": viewer });
  await renderAt(AT);

  const [first, second] = await cells();
  expect(first).toEqual([
    "payments",
    "Classic",
    "Active3 members",
    "Approximateorders-1: 12 records are not copied yet",
    "–not measured",
    "1.20krecordsabout 310\u00a0kB, 800\u00a0ms",
    "–no checkpoint written yet",
    "Emptywaits until its members leave",
  ]);
  expect(second?.slice(3, 6)).toEqual(["Ready", "40records", "0records"]);
  expect(second?.[6]).toMatch(/^\d+\ss\sago$/);
  const badge = screen.getByText("orders-1: 12 records are not copied yet").closest("[title]");
  expect(badge?.getAttribute("title")).toContain("Remedy: Wait until the flow has caught up.");
  expect(screen.getByText("Offsets are written to the target every 1 min")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Sync all now" })).toBeNull();
});

test("the counts filter the groups, and the address holds the filter", async () => {
  const asked = vi.fn();
  answerWith({ "/groups": list([aGroup()]) });
  const answering = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    asked(new URL((input as Request).url).search);
    return answering(input, init);
  };
  await renderAt(AT);

  const blocked = await screen.findByRole("button", { name: "Blocked 1" });
  expect(blocked.getAttribute("aria-pressed")).toBe("false");
  await userEvent.click(blocked);
  await waitFor(() => expect(asked).toHaveBeenCalledWith(expect.stringContaining("readiness=blocked")));
  expect(blocked.getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(screen.getByRole("button", { name: "All 4" }));
  expect(blocked.getAttribute("aria-pressed")).toBe("false");
});

test("the name opens causes with remedies, the readiness without the source, and the partitions", async () => {
  const gone = {
    readiness: "blocked",
    rereads: null,
    causes: [{ ...CAUSE, text: "Nothing is known." }],
  } as const;
  const group = aGroup({
    readiness: "approximate",
    causes: [CAUSE],
    rereads: 12,
    if_source_gone: { ...gone, causes: [...gone.causes] },
  });
  const bounded = aPlace({
    partition: 2,
    kind: "bounded",
    latest: 17_390,
    rereads: 400,
    evidence: "the copy ends before it",
  });
  const none = aPlace({ partition: 3, kind: null, committed: null, downstream: null, evidence: "" });
  answerWith({ "/groups": list([group]), "/partitions": places(aPlace(), bounded, none) });
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "billing", expanded: false }));

  const details = await screen.findByRole("region", { name: "Details of the group billing" });
  expect(details.textContent).toContain("Wait until the flow has caught up.");
  expect(details.textContent).toContain("at most 12 records");
  expect(within(details).getByRole("heading", { name: /If us-east were gone now/ }).textContent).toContain(
    "Blocked",
  );
  const table = await within(details).findByRole("region", { name: "Partitions of billing" });
  const [, ...rows] = within(table).getAllByRole("row");
  expect(rows.map((row) => row.children[2]?.textContent)).toEqual([
    "Exactin the run 24,100 to 25,399",
    "Boundedthe copy ends before it",
    "None",
  ]);
  expect(rows[1]?.children[3]?.textContent).toBe("16,990at the latest 17,3900 to 17,390");
  expect(rows[2]?.children[1]?.textContent).toContain("no commit");
  await userEvent.click(screen.getByRole("button", { name: "billing", expanded: true }));
  expect(screen.queryByRole("region", { name: "Details of the group billing" })).toBeNull();
});

test("while the source is away the last checkpoint is shown and no translation", async () => {
  const unread = aPlace({
    is_read: false,
    committed: null,
    kind: null,
    reason: null,
    downstream: null,
    latest: null,
    rereads: null,
    evidence: "the group's offset is not known: us-east does not answer",
  });
  const { status, body } = places(unread);
  const unlooked = [{ part: "source", reason: "us-east does not answer" }];
  answerWith({ "/groups": list([aGroup()]), "/partitions": { status, body: { ...body, unlooked } } });
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "billing" }));

  const table = await screen.findByRole("region", { name: "Partitions of billing" });
  const cells = within(table).getAllByRole("row")[1]?.children ?? [];
  expect(cells[1]?.textContent).toContain("not reported by the source");
  expect(cells[2]?.textContent).toBe("Unknownthe group's offset is not known: us-east does not answer");
  expect(cells[5]?.textContent).toContain("16,990");
  expect(screen.getByText("Not known: us-east does not answer")).toBeTruthy();
});

test("an open group has its lag and its checkpoint latency as charts", async () => {
  answerWith({ "/groups": list([aGroup()]), "/partitions": places() });
  const asked: string[] = [];
  const answering = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (pathname.endsWith("/series") && searchParams.has("group")) {
      asked.push(`${searchParams.get("group")} ${searchParams.get("metric")}`);
    }
    return answering(input, init);
  };
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "billing" }));

  expect(await screen.findByRole("img", { name: /^Lag of the group billing, last 10 minutes/ })).toBeTruthy();
  expect(screen.getByRole("img", { name: /^Checkpoint latency of the group billing/ })).toBeTruthy();
  expect(asked.sort()).toEqual(["billing checkpoint_latency_ms", "billing lag_offsets"]);
  const details = screen.getByRole("region", { name: "Details of the group billing" });
  expect(await within(details).findAllByText("Nothing measured in this range")).toHaveLength(2);
});

test("the address holds the open groups and the order of their partitions", async () => {
  answerWith({
    "/groups": list([aGroup()]),
    "/partitions": places(aPlace(), aPlace({ partition: 2, committed: 90_000 })),
  });
  await renderAt(`${AT}&groups_open=billing&places_sort=-committed`);

  const table = await screen.findByRole("region", { name: "Partitions of billing" });
  const names = within(table).getAllByRole("rowheader");
  expect(names.map((cell) => cell.firstChild?.textContent)).toEqual(["orders-2", "orders-1"]);
  expect(screen.getByRole("button", { name: "Columns of the partitions of the group" })).toBeTruthy();
});

test("the charts of a group have a question mark, a log scale, a table and files", async () => {
  answerWith({ "/groups": list([aGroup()]), "/partitions": places() });
  await renderAt(`${AT}&groups_open=billing`);

  const log = await screen.findByRole("button", { name: "Log scale of Lag of the group billing" });
  await userEvent.click(log);
  expect(log.getAttribute("aria-pressed")).toBe("true");
  await userEvent.click(
    await screen.findByRole("button", {
      name: "Options of the chart us-east-eu-central-billing-lag_offsets",
    }),
  );
  expect(await screen.findByRole("menuitem", { name: "Download as CSV" })).toBeTruthy();
  expect(screen.getByRole("menuitem", { name: "Download as image" })).toBeTruthy();
  await userEvent.click(screen.getByRole("menuitem", { name: "View as table" }));

  expect(await screen.findByRole("region", { name: "Table of Lag of the group billing" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Definition of Lag of the group billing" })).toBeTruthy();
});

test("a receipt names the records that the group would not read", async () => {
  const { status, body } = receipts(true, 1);
  const text = "set from no offset to 5; the records 10 to 19 have no copy on eu-central";
  const items = body.items.map((item) => ({ ...item, state: "written" as const, skips: 10, text }));
  answerWith({
    "/groups": list([aGroup()]),
    "/groups/sync": { status, body: { ...body, items } },
    "/me": operator,
  });
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "Sync all now" }));

  expect(await screen.findByText(/In 1 partition the group would not read records/)).toBeTruthy();
  expect(screen.getByText(text)).toBeTruthy();
});

test("partitions that cannot be asked about say why, and may be asked again", async () => {
  const silent = { status: 503, body: { detail: "no control worker of target eu-central answers" } };
  answerWith({ "/groups": list([aGroup()]), "/partitions": silent });
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "billing" }));

  expect(await screen.findByText("The partitions could not be loaded")).toBeTruthy();
  expect(screen.getByText("no control worker of target eu-central answers")).toBeTruthy();
});

test("a sync is rehearsed first, and writes after a second press", async () => {
  const sent: unknown[] = [];
  answerWith({ "/groups": list([aGroup()]), "/partitions": places(), "/me": operator });
  const answering = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = input as Request;
    if (!request.url.endsWith("/groups/sync")) return answering(input, init);
    const body = (await request.json()) as { dry_run: boolean };
    sent.push(body);
    const { body: answer } = receipts(body.dry_run, 2);
    return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
  };
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "billing" }));
  await userEvent.click(await screen.findByRole("button", { name: "Sync now" }));
  const write = await screen.findByRole("button", { name: "Write 2 offsets to the target" });
  expect(screen.getByText(/2 offsets would be written, 3 unchanged, 1 refused/)).toBeTruthy();
  await userEvent.type(screen.getByLabelText("Reason"), "move");
  await userEvent.click(write);

  expect(await screen.findByRole("heading", { name: "Receipt of the sync of billing" })).toBeTruthy();
  expect(screen.getByText(/2 offsets written, 3 unchanged/)).toBeTruthy();
  const table = screen.getByRole("region", { name: "Table of receipts" });
  expect(within(table).getByText("the group has 2 members on eu-central")).toBeTruthy();
  expect(sent).toEqual([
    expect.objectContaining({ groups: ["billing"], dry_run: true }),
    expect.objectContaining({ groups: ["billing"], dry_run: false, reason: "move" }),
  ]);
});

test("a rehearsal that would write nothing offers nothing to press", async () => {
  answerWith({ "/groups": list([aGroup()]), "/groups/sync": receipts(true, 0), "/me": operator });
  await renderAt(AT);

  await userEvent.click(await screen.findByRole("button", { name: "Sync all now" }));

  const nothing = await screen.findByRole("button", { name: "Nothing to write" });
  expect((nothing as HTMLButtonElement).disabled).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(screen.queryByRole("region", { name: "Sync of all groups" })).toBeNull();
});

test("no groups, filtered groups and a failure are three different things", async () => {
  answerWith({ "/groups": list([], { counts: null, sync: null }) });
  await renderAt(AT);
  expect(await screen.findByText("This flow translates no consumer group yet")).toBeTruthy();

  answerWith({ "/groups": list([]) });
  await renderAt(`${AT}&readiness=ready`);
  expect(await screen.findByText("No consumer group matches the filter")).toBeTruthy();

  answerWith({ "/groups": { status: 503, body: { detail: "the database is not available" } } });
  await renderAt(AT);
  expect(await screen.findByText("The consumer groups could not be loaded")).toBeTruthy();
});

test("a silent checkpoint task and skipped groups are named", async () => {
  const partial = [
    { peer: "groups", error: "the checkpoint task us-east/checkpoint/0 has not reported for 95 s" },
  ];
  const skipped = [{ group: "shares", reason: "share groups have no offsets" }];
  answerWith({ "/groups": list([aGroup()], { partial, skipped, skipped_total: 3 }) });
  await renderAt(AT);

  expect(await screen.findByText(/has not reported for 95 s/)).toBeTruthy();
  expect(screen.getByText("3 groups not translated by this flow")).toBeTruthy();
  expect(screen.getByText("shares").closest("li")?.textContent).toContain("share groups have no offsets");
});
