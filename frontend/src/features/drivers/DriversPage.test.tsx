import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Driver } from "@/api/types";
import { aDriver } from "@/test/drivers";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

const OPERATOR = { status: 200, body: { username: "bo", role: "operator", permissions: ["drivers.act"] } };
const DRAIN = { reason: "new disks", by: "ada", since_ms: 1, expires_ms: null };

const list = (...items: Driver[]) => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

const drainState = (tasks: number, drained: boolean) => ({
  status: 200,
  body: { driver: "berlin", drain: DRAIN, processes: [], tasks, drained },
});

test("the processes of a driver share one place for its drain", async () => {
  const processes = [aDriver({ id: "berlin-2" }), aDriver({ role: "control" }), aDriver()];
  answerWith({ "/me": OPERATOR, "/drivers": list(...processes, aDriver({ id: "paris", parent: "paris" })) });
  await renderAt("/drivers");

  expect((await screen.findAllByRole("button", { name: /^Drain / })).map((each) => each.textContent)).toEqual(
    ["Drain berlin", "Drain paris"],
  );
  expect(screen.getAllByText("west, region=eu")).toHaveLength(4);
});

test("an order that separates the processes of a driver gives each part a place for its drain", async () => {
  const processes = [aDriver({ id: "berlin-2", tasks: 9 }), aDriver({ id: "berlin-1", tasks: 1 })];
  const paris = aDriver({ id: "paris", parent: "paris", tasks: 5 });
  answerWith({ "/me": OPERATOR, "/drivers": list(...processes, paris) });
  await renderAt("/drivers?drivers_sort=-tasks");

  expect((await screen.findAllByRole("button", { name: /^Drain / })).map((each) => each.textContent)).toEqual(
    ["Drain berlin", "Drain paris", "Drain berlin"],
  );
});

test("an operator drains a driver with a reason and sees how many tasks are left", async () => {
  const user = userEvent.setup();
  answerWith({
    "/me": OPERATOR,
    "/drivers": list(aDriver()),
    "/berlin/drain": { status: 200, body: { ...drainState(3, false).body, drain: null } },
  });
  await renderAt("/drivers");
  await user.click(await screen.findByRole("button", { name: "Drain berlin" }));
  const form = within(screen.getByRole("form", { name: "Drain berlin" }));
  await user.type(form.getByLabelText("Reason"), "new disks");
  answerWith({
    "/me": OPERATOR,
    "/drivers": list(aDriver({ drain: true })),
    "/berlin/drain": drainState(3, false),
  });
  await user.click(form.getByRole("button", { name: "Drain berlin" }));

  expect(await screen.findByText("new disks, by ada")).toBeTruthy();
  expect(screen.getByText("3 tasks left")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Undrain berlin" }));
  const back = within(screen.getByRole("form", { name: "Undrain berlin" }));
  await user.type(back.getByLabelText("Reason"), "disks are in");
  answerWith({ "/me": OPERATOR, "/berlin/undrain": drainState(3, false) });
  const { changes } = keepRequests();
  await user.click(back.getByRole("button", { name: "Undrain berlin" }));
  await vi.waitFor(() => expect(screen.queryByRole("form", { name: "Undrain berlin" })).toBeNull());
  await vi.waitFor(() => expect(changes.map(({ body }) => body)).toEqual([{ reason: "disks are in" }]));
});

test("a process that stops is not shown as one that reports", async () => {
  const restarting = aDriver({ id: "paris", parent: "paris", returning_until_ms: Date.now() + 60_000 });
  answerWith({ "/drivers": list(aDriver({ leaving: true }), restarting) });
  await renderAt("/drivers");

  expect(await screen.findByText("Leaving")).toBeTruthy();
  expect(screen.getByText("Restarting")).toBeTruthy();
  expect(screen.queryByText("Reporting")).toBeNull();
});

test("a browser whose clock differs from that of the service does not call drivers silent", async () => {
  const as_of_ms = Date.now() - 60_000;
  const drivers = [aDriver({ sent_ms: as_of_ms - 500 }), aDriver({ id: "oslo", sent_ms: as_of_ms - 8_000 })];
  const { status, body } = list(...drivers);
  answerWith({ "/drivers": { status, body: { ...body, as_of_ms } } });
  await renderAt("/drivers");

  expect(await screen.findByText("Reporting")).toBeTruthy();
  expect(screen.getByText(/^Silent for/)).toBeTruthy();
});

test("a viewer sees the drain and its progress, and no button", async () => {
  answerWith({ "/drivers": list(aDriver({ drain: true, tasks: 0 })), "/berlin/drain": drainState(0, true) });
  await renderAt("/drivers");

  expect(await screen.findByText("No tasks left")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /rain berlin/ })).toBeNull();
});

const aTask = (task: string) => ({
  ...{ task, kind: "source", source: "east", target: "west", driver: "berlin", role: "data" },
  ...{ state: "running", since_ms: 1, bytes_per_second: 10, cause: null },
  last_error: { code: "fatal", text: "disk full", topic: "orders", partition: 3, since_ms: 7 },
  moved: { at_ms: Date.now(), reason: "driver_gone", text: "the driver before stopped", from_driver: "oslo" },
});

const OSLO = {
  ...{ id: "oslo", parent: "oslo", role: "data", host: "node-9", version: null, first_seen_ms: 1 },
  ...{ last_seen_ms: Date.now() - 60_000, pid: 4711, restarted: true, left: false, tasks: 2 },
};

test("tasks, moves and errors of the drivers, and processes that left", async () => {
  answerWith({
    "/me": { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } },
    "/drivers": list(aDriver()),
    "/tasks": {
      status: 200,
      body: { items: [aTask("east/source/0")], next_cursor: null, as_of_ms: 1, partial: [] },
    },
    "/drivers/gone": {
      status: 200,
      body: {
        items: [OSLO],
        next_cursor: null,
        partial: [],
      },
    },
  });
  await renderAt("/drivers");

  const matrix = within(await screen.findByRole("region", { name: "Table of tasks by flow and driver" }));
  expect(matrix.getAllByRole("row")[1]?.textContent).toBe("east to west1");
  expect(screen.getByRole("region", { name: "Table of errors" }).textContent).toContain(
    "orders, partition\u00a03",
  );
  await userEvent.click(await screen.findByRole("button", { name: "Restart source task 0 of east to west" }));
  expect(await screen.findByRole("form", { name: "Restart source task 0" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(screen.getByRole("region", { name: "Table of moves" }).textContent).toContain("oslo");
  expect((await screen.findByRole("region", { name: "Table of drivers that left" })).textContent).toContain(
    "Lost, restarted",
  );
});

test("long lists of tasks say how many there are, and show all on request", async () => {
  const tasks = Array.from({ length: 25 }, (_, slot) => aTask(`east/source/${slot}`));
  answerWith({
    "/drivers": list(aDriver()),
    "/tasks": { status: 200, body: { items: tasks, next_cursor: null, as_of_ms: 1, partial: [] } },
  });
  await renderAt("/drivers");

  const moves = within(await screen.findByRole("region", { name: "Table of moves" }));
  expect(moves.getAllByRole("row")).toHaveLength(1 + 20);
  expect(screen.getByRole("button", { name: "Show all 25 errors" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Show all 25 moves" }));
  expect(moves.getAllByRole("row")).toHaveLength(1 + 25);
});

test("processes that left are read page after page", async () => {
  answerWith({ "/drivers": list(aDriver()) });
  keepRequests(({ path, query = "" }) => {
    if (path !== "/drivers/gone") return undefined;
    const isFirst = !query.includes("cursor=");
    const items = [isFirst ? OSLO : { ...OSLO, id: "bergen", parent: "bergen" }];
    return Response.json({ items, next_cursor: isFirst ? "c" : null, as_of_ms: 1, partial: [] });
  });
  await renderAt("/drivers");

  const gone = await screen.findByRole("region", { name: "Table of drivers that left" });
  expect(within(gone).getByText("oslo")).toBeTruthy();
  expect(within(gone).getByText("bergen")).toBeTruthy();
});

test("a drain that ends by itself is ordered with its end, which is shown", async () => {
  const user = userEvent.setup();
  const drain = { ...DRAIN, expires_ms: Date.now() + 3_600_000 };
  answerWith({
    "/me": OPERATOR,
    "/drivers": list(aDriver()),
    "/berlin/drain": { status: 200, body: { ...drainState(3, false).body, drain: null } },
  });
  await renderAt("/drivers");
  await user.click(await screen.findByRole("button", { name: "Drain berlin" }));
  const form = within(screen.getByRole("form", { name: "Drain berlin" }));
  await user.selectOptions(form.getByLabelText("Ends"), "1h");
  answerWith({
    "/me": OPERATOR,
    "/drivers": list(aDriver({ drain: true })),
    "/berlin/drain": { status: 200, body: { ...drainState(3, false).body, drain } },
  });
  const { changes } = keepRequests();
  const asked_ms = Date.now();
  await user.click(form.getByRole("button", { name: "Drain berlin" }));

  expect(await screen.findByText(/new disks, by ada, until/)).toBeTruthy();
  await vi.waitFor(() => expect(changes).toHaveLength(1));
  const body = changes[0]?.body as { expires_ms: number };
  expect(body.expires_ms).toBeGreaterThanOrEqual(asked_ms + 3_600_000);
});

test("a restart says how many processes are back, and when it is done", async () => {
  const user = userEvent.setup();
  const other = aDriver({ id: "berlin-2", boot: "b2" });
  const restart = { status: 200, body: {} };
  answerWith({ "/me": OPERATOR, "/drivers": list(aDriver(), other), "/berlin/restart": restart });
  await renderAt("/drivers");
  await user.click(await screen.findByRole("button", { name: "Restart berlin" }));
  const form = within(screen.getByRole("form", { name: "Restart berlin" }));
  answerWith({
    "/me": OPERATOR,
    "/drivers": list(aDriver({ boot: "b3" }), other),
    "/berlin/restart": restart,
  });
  await user.click(form.getByRole("button", { name: "Restart berlin" }));
  expect(await screen.findByText("Restart ordered: 1 of 2 processes back")).toBeTruthy();

  answerWith({ "/me": OPERATOR, "/drivers": list(aDriver({ boot: "b3" }), { ...other, boot: "b4" }) });
  expect(await screen.findByText("Restarted", undefined, { timeout: 10_000 })).toBeTruthy();
});
