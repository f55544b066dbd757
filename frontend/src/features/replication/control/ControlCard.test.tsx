import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { FlowStatus, Hold, Limit, Reset } from "@/api/types";
import { ControlCard } from "@/features/replication/control/ControlCard";
import { dayAndTime } from "@/lib/time";
import { type Answer, answerWith, renderWithAddress } from "@/test/render";
import { keepRequests } from "@/test/requests";

const SINCE_MS = 1_760_000_000_000;
const OPERATOR = { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } };
const LIMIT: Limit = { code: "throttle", text: "the flow's own throttle" };

const renderCard = (limit: Limit | null = LIMIT, status?: FlowStatus) =>
  renderWithAddress(<ControlCard source="us-east" target="eu-central" status={status} limit={limit} />);

const page = (...items: unknown[]): Answer => ({
  status: 200,
  body: { items, next_cursor: null, as_of_ms: 1, partial: [] },
});

const throttle = (bytes_per_second: number | null): Answer => ({
  status: 200,
  body: { bytes_per_second, changed: false },
});

const aHold = (change: Partial<Hold>): Hold => ({
  id: 1,
  topic: "orders",
  partition: null,
  until_ms: null,
  reason: "",
  held_by: "bo",
  since_ms: SINCE_MS,
  ...change,
});

const aReset = (change: Partial<Reset>): Reset => ({
  id: "r1",
  topic: "orders",
  partition: 0,
  to: "earliest",
  state: "requested",
  requested_by: "bo",
  requested_ms: SINCE_MS,
  ended_ms: null,
  rejected: null,
  ...change,
});

async function cellsOf(table: string): Promise<(string | null)[][]> {
  const region = await screen.findByRole("region", { name: table });
  const [, ...rows] = within(region).getAllByRole("row");
  return rows.map((row) => [...row.children].map((cell) => cell.textContent));
}

test("what is paused is shown with who did it, why and until when", async () => {
  const one = aHold({
    id: 2,
    topic: "payments",
    partition: 3,
    reason: "schema change",
    until_ms: SINCE_MS + 1,
  });
  answerWith({ "/me": OPERATOR, "/throttle": throttle(null), "/holds": page(aHold({}), one) });
  await renderCard();

  const since = dayAndTime(SINCE_MS);
  screen.getByRole("heading", { name: "Stopped topics" });
  expect(await cellsOf("Table of paused topics")).toEqual([
    ["orders", "all", "None given", "bo", since, "someone resumes it"],
    ["payments", "3", "schema change", "bo", since, since],
  ]);
});

test("an order is ended by a form with its reason and its dry run", async () => {
  const user = userEvent.setup();
  const text = "With this order, partition 3 of payments is read again";
  const effect = {
    id: null,
    changed: true,
    text,
    touches: { topics: 1, partitions: 1, slots: 1 },
    state: "applied",
  };
  const hold = aHold({ id: 2, topic: "payments", partition: 3 });
  answerWith({
    "/me": OPERATOR,
    "/throttle": throttle(null),
    "/holds": page(hold),
    "/actions": { status: 200, body: effect },
  });
  const { changes } = keepRequests();
  await renderCard();

  await user.click(await screen.findByRole("button", { name: "Resume payments, partition\u00a03" }));
  const form = within(await screen.findByRole("form", { name: "Resume a partition" }));
  const resume = form.getByRole<HTMLButtonElement>("button", { name: "Resume the partition" });
  expect(resume.disabled).toBe(true);
  await user.type(form.getByLabelText(/^Reason/), "repaired");
  await user.click(form.getByRole("button", { name: "Dry run" }));
  expect(await form.findByText(text)).toBeTruthy();
  await user.click(resume);
  await vi.waitFor(() => expect(changes).toHaveLength(2));
  const order = { action: "resume", reason: "repaired", scope: { topic: "payments", partition: 3 } };
  expect(changes.map(({ method, body }) => [method, body])).toEqual([
    ["POST", { ...order, dry_run: true }],
    ["POST", { ...order, dry_run: false }],
  ]);
});

test("a reset is withdrawn with a reason", async () => {
  const user = userEvent.setup();
  answerWith({
    "/me": OPERATOR,
    "/throttle": throttle(null),
    "/resets": page(aReset({})),
    "/resets/r1": { status: 200, body: aReset({}) },
  });
  const { changes } = keepRequests();
  await renderCard();

  await user.click(
    await screen.findByRole("button", { name: "Withdraw the reset of orders, partition\u00a00" }),
  );
  const form = within(
    await screen.findByRole("form", { name: "Withdraw the reset of orders, partition\u00a00" }),
  );
  await user.type(form.getByLabelText(/^Reason/), "wrong topic");
  await user.click(form.getByRole("button", { name: "Withdraw the reset" }));
  await vi.waitFor(() => expect(changes).toHaveLength(1));
  expect(changes[0]).toMatchObject({ method: "DELETE", query: "?reason=wrong%20topic" });
});

test("resets show where they go and what became of them, the newest first", async () => {
  const resets = [
    aReset({ id: "a", to: { offset: 1200 }, state: "done", ended_ms: SINCE_MS }),
    aReset({
      id: "b",
      to: { timestamp_ms: SINCE_MS },
      state: "overtaken",
      requested_ms: SINCE_MS + 1,
      ended_ms: SINCE_MS + 2,
    }),
    aReset({ id: "c", to: "latest", requested_ms: SINCE_MS + 2 }),
    aReset({ id: "d", requested_ms: SINCE_MS + 3 }),
    aReset({ id: "e", to: { offset: 0 }, state: "done", requested_ms: SINCE_MS + 4 }),
  ];
  answerWith({ "/me": OPERATOR, "/throttle": throttle(null), "/resets": page(...resets) });
  await renderCard();

  const cells = await cellsOf("Table of resets");
  expect(cells.map((row) => [row[2], row[3], row[6]])).toEqual([
    ["offset 0", "Done", "just now"],
    ["the start of the log", "Pending", "not yet"],
    ["the end of the log", "Pending", "not yet"],
    [dayAndTime(SINCE_MS), "Overtaken", dayAndTime(SINCE_MS + 2)],
    ["offset 1,200", "Done", dayAndTime(SINCE_MS)],
  ]);
});

test("a reset that no driver can carry out says why", async () => {
  const reset = aReset({ rejected: "the plan has no partition 9 of orders" });
  answerWith({ "/me": OPERATOR, "/throttle": throttle(null), "/resets": page(reset) });
  await renderCard();

  const [cells] = await cellsOf("Table of resets");
  expect(cells?.[3]).toBe("Rejectedthe plan has no partition 9 of orders");
});

test("a throttle is shown with what wins over it, and so is what limits the flow", async () => {
  answerWith({ "/me": OPERATOR, "/throttle": throttle(10_000_000) });
  await renderCard();

  expect(await screen.findByText("10.0")).toBeTruthy();
  expect(screen.getByText(/not over a window of/).textContent).toContain("srm.throttle.schedule");
  expect(screen.getByText("the flow's own throttle")).toBeTruthy();
  expect(await screen.findByText("No topic is paused.")).toBeTruthy();
  expect(await screen.findByText("No reset is pending, and none ended within a day.")).toBeTruthy();
});

test("without a throttle nothing limits the flow, and an unknown limit is left out", async () => {
  answerWith({ "/me": OPERATOR, "/throttle": throttle(null) });
  await renderCard(null);

  expect(await screen.findByText("No limit")).toBeTruthy();
  expect(screen.getByText("srm.throttle.rate")).toBeTruthy();
  expect(screen.queryByText("Limited by")).toBeNull();
});

test("without a throttle the configured limits are shown with their values, and unlimited is none", async () => {
  const unlimited = { name: "srm.throttle.rate", value: "unlimited" };
  const schedule = { name: "srm.throttle.schedule", value: "08:00-18:00=10MB" };
  answerWith({ "/throttle": throttle(null), "/effective": page(unlimited, schedule) });
  await renderCard();

  expect(await screen.findByText("srm.throttle.schedule = 08:00-18:00=10MB")).toBeTruthy();
  expect(screen.getByText("As configured")).toBeTruthy();
  expect(screen.queryByText(/unlimited/)).toBeNull();
});

test("without a throttle and without the configuration, the limit is unknown and no order is known", async () => {
  answerWith({ "/throttle": throttle(null), "/effective": { status: 503, body: {} } });
  await renderCard();

  expect(await screen.findByText("The service answered 503.")).toBeTruthy();
  expect(screen.getByText("no order; the configured rate is not known yet")).toBeTruthy();
  expect(screen.queryByText("No limit")).toBeNull();
});

test("a viewer sees every list and no button that ends an order", async () => {
  answerWith({ "/throttle": throttle(null), "/holds": page(aHold({})), "/resets": page(aReset({})) });
  await renderCard();

  expect(await cellsOf("Table of paused topics")).toHaveLength(1);
  expect(await cellsOf("Table of resets")).toHaveLength(1);
  expect(await screen.findByText("No topic is stopped.")).toBeTruthy();
  expect(screen.getByText("the flow's own throttle")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Resume|^Withdraw|^Pause$/ })).toBeNull();
});

test("a flow that is paused is limited by nothing", async () => {
  answerWith({ "/me": OPERATOR, "/throttle": throttle(null) });
  await renderCard(LIMIT, "paused");

  expect(await screen.findByText("No limit")).toBeTruthy();
  expect(screen.queryByText("the flow's own throttle")).toBeNull();
});
