import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { NARROW } from "@/lib/view/screen";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { type Answer, answerWith, renderAt } from "@/test/render";
import { keepRequests, type Sent } from "@/test/requests";

const FLOW = "/replications/us-east/eu-central";
const TEXT = "us-east->eu-central stops copying and keeps its position";
const GIVEN = { id: null, action: "pause", changed: true, text: TEXT, tasks: [], state: "ordered" };
const TASK = {
  task: "us-east/source/1",
  kind: "source",
  source: "us-east",
  target: "eu-central",
  driver: "driver-7",
  state: "running",
  since_ms: 1,
  cause: null,
  last_error: null,
  moved: null,
  partitions: 1,
  bytes_per_second: 1,
  lag_offsets: 0,
};
const topic = (name: string) => ({
  topic: name,
  remote_topic: `us-east.${name}`,
  partitions: 1,
  bytes_per_second: null,
  records_per_second: null,
  latency_p95_ms: null,
  lag_offsets: null,
});
const list = (...items: unknown[]): Answer => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

/** Opens a page as somebody who may act, unless told otherwise; returns the changes that the page asks for. */
async function openAt(address: string, ordered = "run", permissions = ["flows.act"]): Promise<Sent[]> {
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions } },
    [FLOW]: {
      status: 200,
      body: { source: "us-east", target: "eu-central", status: "healthy", ordered_state: ordered },
    },
    [`${FLOW}/topics`]: list(topic("orders"), topic("payments")),
    [`${FLOW}/throttle`]: { status: 200, body: { bytes_per_second: null } },
    "/tasks": list(TASK, { ...TASK, task: "us-east/checkpoint/0", kind: "checkpoint" }),
    "/actions": { status: 200, body: GIVEN },
  });
  const { changes } = keepRequests();
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow()], { time_ms: Date.now() }));
  await renderAt(address, store);
  return changes;
}

const bodiesOf = (sent: readonly Sent[]) => sent.map(({ body }) => body);

const wide = window.matchMedia;
afterEach(() => {
  window.matchMedia = wide;
});

async function pauseFrom(menu: string): Promise<void> {
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: menu }));
  await user.click(await screen.findByRole("menuitem", { name: "Pause" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Pause: us-east to eu-central" }));
  await user.type(await dialog.findByLabelText(/^Reason/), "upgrade");
  await user.click(dialog.getByRole("button", { name: "Pause the flow" }));
  expect(await dialog.findByText(TEXT)).toBeTruthy();
}

const PAUSE = { action: "pause", reason: "upgrade", dry_run: false };

test("a flow is paused from its row in the overview", async () => {
  const sent = await openAt("/replications");
  await pauseFrom("Actions on us-east to eu-central");
  expect(bodiesOf(sent)).toEqual([PAUSE]);
});

test("a flow is paused from its card on a phone", async () => {
  window.matchMedia = (query) => Object.assign(wide(query), { matches: query === NARROW });
  const sent = await openAt("/replications");
  await pauseFrom("Actions on us-east to eu-central");
  expect(screen.queryByRole("region", { name: "Table of replication flows" })).toBeNull();
  expect(bodiesOf(sent)).toEqual([PAUSE]);
});

test("a flow whose details are not read yet is paused, as its live row has its status", async () => {
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } },
    [FLOW]: { status: 503, body: { title: "Unavailable", detail: "the database does not answer" } },
    "/throttle": { status: 200, body: { bytes_per_second: null } },
  });
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow()], { time_ms: Date.now() }));
  await renderAt(FLOW, store);
  const pause = await screen.findByRole("button", { name: "Pause" });
  expect(pause.getAttribute("aria-disabled")).toBeNull();
  expect(screen.queryByText("no driver reports this flow")).toBeNull();
});

test("a flow is paused from the header of its page, on each tab", async () => {
  const sent = await openAt(`${FLOW}?tab=tasks`);
  await pauseFrom("Actions");
  expect(bodiesOf(sent)).toEqual([PAUSE]);
});

test("what a stopped flow cannot do now is disabled with the reason", async () => {
  await openAt(`${FLOW}?tab=tasks`, "stop");
  await userEvent.click(await screen.findByRole("button", { name: "Actions" }));
  const restart = await screen.findByRole<HTMLButtonElement>("menuitem", { name: /^Restart/ });
  await vi.waitFor(() => expect(restart.textContent).toBe("RestartThe flow is stopped: no task runs"));
  expect(restart.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByRole("menuitem", { name: "Start" }).getAttribute("aria-disabled")).toBeNull();
});

test("Escape closes the menu of orders and gives the focus back to its button", async () => {
  const user = userEvent.setup();
  await openAt(FLOW);
  await user.click(await screen.findByRole("button", { name: "Actions" }));
  await screen.findByRole("menuitem", { name: "Pause" });
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("menuitem", { name: "Pause" })).toBeNull());
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Actions" }));
});

test("a viewer is offered no order", async () => {
  await openAt("/replications", "run", []);
  await userEvent.click(await screen.findByRole("button", { name: "Actions on us-east to eu-central" }));
  expect(await screen.findByRole("menuitem", { name: "Tasks" })).toBeTruthy();
  expect(screen.queryByRole("menuitem", { name: "Pause" })).toBeNull();
});

test("one source task is restarted from its row", async () => {
  const user = userEvent.setup();
  const sent = await openAt(`${FLOW}?tab=tasks`);
  await user.click(await screen.findByRole("button", { name: "Restart source task 1" }));
  const form = within(await screen.findByRole("form", { name: "Restart source task 1" }));
  expect(form.queryByLabelText("Topic")).toBeNull();
  await user.type(form.getByLabelText(/^Reason/), "stuck");
  await user.click(form.getByText("The same as a command"));
  expect(form.getByRole("region", { name: "Command of srm-control" }).textContent).toBe(
    "srm-control flows restart 'us-east->eu-central' --task 1 --reason stuck",
  );
  await user.click(form.getByRole("button", { name: "Restart source task 1" }));
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  const scope = { topic: "", partition: null, task: 1 };
  expect(bodiesOf(sent)).toEqual([{ action: "restart", reason: "stuck", scope, dry_run: false }]);
  screen.getByText("Checkpoint task 0");
  expect(screen.queryByRole("button", { name: "Restart checkpoint task 0" })).toBeNull();
});

test("several topics get one order, with a result for each", async () => {
  const user = userEvent.setup();
  const sent = await openAt(`${FLOW}?tab=topics`);
  await user.click(await screen.findByRole("checkbox", { name: "Choose all topics that are shown" }));
  await user.click(screen.getByRole("checkbox", { name: "Choose payments" }));
  await user.click(screen.getByRole("checkbox", { name: "Choose payments" }));
  const form = within(await screen.findByRole("form", { name: "Action on the chosen topics" }));
  await user.type(form.getByLabelText(/^Reason/), "repair");
  await user.click(form.getByRole("button", { name: "Pause 2 topics" }));
  expect(await form.findByText("Changed 2 topics, 0 unchanged, 0 refused.")).toBeTruthy();
  const common = { action: "pause", reason: "repair", until_ms: null, dry_run: false };
  expect(bodiesOf(sent)).toEqual(
    ["orders", "payments"].map((name) => ({ ...common, scope: { topic: name, partition: null } })),
  );
});

test("a topic is paused on its own page, from the menu of its title", async () => {
  const user = userEvent.setup();
  const unknown = { cause: null, source_start: null, source_end: null, copied_to: null, target_end: null };
  const times = { lag_offsets: null, lag_ms: null, records_per_second: null, last_record_ms: null };
  const partition = { partition: 0, state: "replicating", ...unknown, ...times, slot: null, driver: null };
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } },
    [`${FLOW}/topics/orders`]: { status: 200, body: { ...topic("orders"), state: "replicating" } },
    "/topics/orders/partitions": list(partition),
    [`${FLOW}/drift`]: { status: 200, body: { items: [], unread: [], counts: { compared: 1 } } },
    "/actions": { status: 200, body: GIVEN },
  });
  await renderAt(`${FLOW}/topics/orders`);
  await user.click(await screen.findByRole("button", { name: "Orders for orders" }));
  await user.click(await screen.findByRole("menuitem", { name: "Pause" }));
  const form = within(await screen.findByRole("form", { name: "Pause a topic" }));
  expect(form.getByLabelText<HTMLInputElement>("Topic").value).toBe("orders");
  await user.type(form.getByLabelText(/^Reason/), "upgrade");
  await user.click(form.getByRole("button", { name: "Pause the topic" }));
  expect(await screen.findByText(TEXT)).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Orders for partition 0 of orders" })).toBeTruthy();
});

const TOUCHES = { flows: 1, topics: 2, partitions: 4, slots: 1 };
const WOULD_END = "With this order, us-east->eu-central ends 1 source task";
const AT_DRIVERS = {
  ...GIVEN,
  id: 7,
  revision: 3,
  state: "published",
  tasks: [],
  applied_by: [],
  refusal: "",
};

/** Opens a page on a flow in a status; returns the changes of its definition that the page asks for. */
async function openDefined(address: string, status: string): Promise<Sent[]> {
  const flow = { source: "us-east", target: "eu-central", status, ordered_state: "run" };
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } },
    [`${FLOW}/throttle`]: { status: 200, body: { bytes_per_second: null } },
    [`${FLOW}/actions/7`]: { status: 200, body: AT_DRIVERS },
    "/tasks": list(TASK),
    "/replications/actions": {
      status: 200,
      body: { results: [{ result: "done", text: WOULD_END }], touches: TOUCHES },
    },
  });
  const { changes } = keepRequests(({ method, path, query = "", body }) => {
    if (path !== FLOW) return undefined;
    if (method === "GET") return Response.json(flow, { headers: { ETag: '"1"' } });
    if (method === "DELETE" && query.includes("dry_run"))
      return Response.json({ dry_run: true, touches: TOUCHES, text: [WOULD_END] });
    if (method === "DELETE") return new Response(null, { status: 204 });
    return Response.json({ ...flow, ...(body as object), order: 7 }, { headers: { ETag: '"2"' } });
  });
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow()], { time_ms: Date.now() }));
  await renderAt(address, store);
  return changes;
}

test("a flow is disabled after its name is typed, and enabled again by Undo", async () => {
  const user = userEvent.setup();
  const changes = await openDefined("/replications", "healthy");
  await user.click(await screen.findByRole("button", { name: "Actions on us-east to eu-central" }));
  expect(screen.queryByRole("menuitem", { name: "Enable" })).toBeNull();
  await user.click(await screen.findByRole("menuitem", { name: "Disable" }));
  const form = within(await screen.findByRole("form", { name: "Disable the flow" }));
  await user.type(form.getByLabelText(/^Reason/), "retired");
  const disable = form.getByRole<HTMLButtonElement>("button", { name: "Disable the flow" });
  expect(disable.disabled).toBe(true);
  await user.click(form.getByRole("button", { name: "Dry run" }));
  expect(await form.findByText(WOULD_END)).toBeTruthy();
  expect(form.getByText(/4 partitions/)).toBeTruthy();
  await user.type(form.getByLabelText(/^Confirm/), "us-east->eu-central");
  await user.click(disable);
  expect(await screen.findByText("us-east->eu-central is disabled")).toBeTruthy();
  expect(await screen.findByText("At the drivers")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("us-east->eu-central is enabled")).toBeTruthy();
  const common = { method: "PATCH", path: FLOW };
  expect(changes.filter(({ path }) => path === FLOW)).toEqual([
    { ...common, match: '"1"', body: { enabled: false, comment: "retired" } },
    { ...common, match: '"2"', body: { enabled: true, comment: "undone: retired" } },
  ]);
});

test("a disabled flow is enabled on its page", async () => {
  const user = userEvent.setup();
  const changes = await openDefined(FLOW, "disabled");
  await user.click(await screen.findByRole("button", { name: "Enable" }));
  const form = within(await screen.findByRole("form", { name: "Enable the flow" }));
  await user.type(form.getByLabelText(/^Reason/), "back");
  await user.click(form.getByRole("button", { name: "Enable the flow" }));
  expect(await screen.findByText("us-east->eu-central is enabled")).toBeTruthy();
  expect(changes).toMatchObject([{ match: '"1"', body: { enabled: true, comment: "back" } }]);
});

test("the undo of enabling, which disables, asks for the name of the flow", async () => {
  const user = userEvent.setup();
  const changes = await openDefined(FLOW, "disabled");
  await user.click(await screen.findByRole("button", { name: "Enable" }));
  const form = within(await screen.findByRole("form", { name: "Enable the flow" }));
  await user.type(form.getByLabelText(/^Reason/), "back");
  await user.click(form.getByRole("button", { name: "Enable the flow" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));

  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Undo" }).disabled).toBe(true);
  await user.type(screen.getByLabelText(/^Confirm/), "us-east->eu-central");
  await user.click(screen.getByRole("button", { name: "Undo" }));

  expect(await screen.findByText("us-east->eu-central is disabled")).toBeTruthy();
  expect(changes).toMatchObject([{}, { body: { enabled: false, comment: "undone: back" } }]);
});

test("a flow is deleted on its page after its name is typed, and the overview is shown", async () => {
  const user = userEvent.setup();
  const changes = await openDefined(`${FLOW}?tab=tasks`, "healthy");
  await user.click(await screen.findByRole("button", { name: "Actions" }));
  const edit = await screen.findByRole("menuitem", { name: "Edit patterns and settings" });
  const address = new URL(edit.getAttribute("href") ?? "", window.location.origin);
  expect([address.pathname, address.searchParams.get("at")]).toEqual([
    "/configuration",
    "flow:us-east->eu-central",
  ]);
  await user.click(screen.getByRole("menuitem", { name: "Delete" }));
  const form = within(await screen.findByRole("form", { name: "Delete the flow" }));
  const remove = form.getByRole<HTMLButtonElement>("button", { name: "Delete the flow" });
  expect(remove.disabled).toBe(true);
  await user.click(form.getByRole("button", { name: "Dry run" }));
  expect(await form.findByText(WOULD_END)).toBeTruthy();
  await user.type(form.getByLabelText(/^Reason/), "retired");
  await user.type(form.getByLabelText(/^Confirm/), "us-east->eu-central");
  await user.click(remove);
  expect(await screen.findByRole("heading", { level: 1, name: "Replications" })).toBeTruthy();
  const deletion = { method: "DELETE", path: FLOW, body: null };
  expect(changes).toEqual([
    { ...deletion, query: "?dry_run=true" },
    { ...deletion, match: '"1"', query: "?reason=retired" },
  ]);
  const progress = within(await screen.findByRole("region", { name: "Deleted flow" }));
  expect(await progress.findByText("1 task left")).toBeTruthy();
  await user.click(progress.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("region", { name: "Deleted flow" })).toBeNull();
});
