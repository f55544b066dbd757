import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { expect, test, vi } from "vitest";
import type { Reset, Stop } from "@/api/types";
import { action, answerOperator, FLOW, flowIn, openCard, openForm, page, REFUSED, text } from "@/test/orders";
import { answerWith, renderAt } from "@/test/render";

test("a pause needs a reason, carries its end and shows how far it has come", async () => {
  const user = userEvent.setup();
  const sent = await openCard({
    "/actions": { status: 200, body: { ...action("ordered", null), action: "pause", changed: true, text } },
    "/actions/7": { status: 200, body: action("published", 11) },
  });
  const form = await openForm(user, "Pause", "Pause the flow");
  const give = form.getByRole<HTMLButtonElement>("button", { name: "Pause the flow" });
  expect(give.disabled).toBe(true);
  await user.type(form.getByLabelText(/^Reason/), "upgrade");
  await user.selectOptions(form.getByLabelText("Ends"), "In 1 hour");
  const before_ms = Date.now();
  await user.click(give);

  expect(await screen.findByText("At the drivers")).toBeTruthy();
  expect(screen.getByText("1 of 1 task left")).toBeTruthy();
  expect(screen.getByText(text)).toBeTruthy();
  const body = sent[0]?.body as { until_ms: number };
  expect(sent).toEqual([
    {
      method: "POST",
      path: "/actions",
      body: { action: "pause", reason: "upgrade", dry_run: false, until_ms: body.until_ms },
    },
  ]);
  expect(body.until_ms - before_ms - 3_600_000).toBeLessThan(5_000);
  expect(screen.queryByRole("form", { name: "Pause the flow" })).toBeNull();
});

test("a pause of a partition is undone by the order that takes it back", async () => {
  const user = userEvent.setup();
  const applied = {
    ...action("applied", 12),
    applied_by: [{ task: "us-east/source/0", driver: "driver-7" }],
  };
  const sent = await openCard({
    "/actions": { status: 200, body: { ...action("ordered", null), changed: true, text, items: [] } },
    "/actions/7": { status: 200, body: applied },
  });
  const form = await openForm(user, "Pause", "Pause the flow");
  await user.type(form.getByLabelText("Topic"), "orders");
  await user.type(form.getByLabelText("Partition"), "3");
  await user.type(form.getByLabelText(/^Reason/), "repair");
  await user.click(form.getByRole("button", { name: "Pause the partition" }));

  expect(await screen.findByText("Done")).toBeTruthy();
  expect(screen.getByText("by driver-7")).toBeTruthy();
  const announced = screen.getAllByRole("status").map(({ textContent }) => textContent);
  expect(announced.filter((part) => part !== "")).toEqual([text, "Done"]);
  await user.click(await screen.findByRole("button", { name: "Undo" }));

  await vi.waitFor(() => expect(sent.length).toBe(2));
  const scope = { topic: "orders", partition: 3 };
  expect(sent.map(({ body }) => body)).toEqual([
    { action: "pause", reason: "repair", scope, dry_run: false },
    { action: "resume", reason: "undone: repair", scope, dry_run: false },
  ]);
});

test("Escape closes the form of an order and gives the focus back to its button", async () => {
  const user = userEvent.setup();
  await openCard({});
  await openForm(user, "Pause", "Pause the flow");
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("form", { name: "Pause the flow" })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Pause" }));
});

test("an undo leaves the form alone that was opened since", async () => {
  const user = userEvent.setup();
  const sent = await openCard({
    "/actions": { status: 200, body: { ...action("ordered", null), changed: true, text } },
    "/actions/7": { status: 200, body: action("applied", 12) },
  });
  const pausing = await openForm(user, "Pause", "Pause the flow");
  await user.type(pausing.getByLabelText(/^Reason/), "upgrade");
  await user.click(pausing.getByRole("button", { name: "Pause the flow" }));
  const throttling = await openForm(user, "Throttle", "Throttle the flow");
  await user.type(throttling.getByLabelText(/^Reason/), "day");
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(sent.length).toBe(2));

  await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Undo" })).toBeNull());
  expect(throttling.getByLabelText<HTMLInputElement>(/^Reason/).value).toBe("day");
  expect(screen.getByRole("form", { name: "Throttle the flow" })).toBeTruthy();
});

test.each([
  ["pause", 0, 1],
  ["run", 1, 0],
])("a pause of a flow that is ordered to %s", async (ordered_state, undone, undos) => {
  const user = userEvent.setup();
  await openCard({
    "/actions": { status: 200, body: { ...action("ordered", null), changed: true, text } },
    "/actions/7": { status: 200, body: action("applied", 12) },
    "/us-east/eu-central": { status: 200, body: { status: "healthy", ordered_state } },
  });
  const form = await openForm(user, "Pause", "Pause the flow");
  await user.type(form.getByLabelText(/^Reason/), "upgrade");
  await user.click(form.getByRole("button", { name: "Pause the flow" }));

  expect(await screen.findByText(undone ? "Undone" : "Done")).toBeTruthy();
  expect(screen.queryAllByText("Undone").length).toBe(undone);
  expect(screen.queryAllByRole("button", { name: "Undo" }).length).toBe(undos);
});

test("a stop needs the name of what is stopped", async () => {
  const user = userEvent.setup();
  await openCard({});
  const form = await openForm(user, "Stop", "Stop the flow");
  const give = form.getByRole<HTMLButtonElement>("button", { name: "Stop the flow" });
  await user.type(form.getByLabelText(/^Reason/), "cluster moves");
  expect(give.disabled).toBe(true);
  await user.type(form.getByLabelText(/^Confirm/), "us-east->eu-central");
  expect(give.disabled).toBe(false);
  await user.type(form.getByLabelText("Topic"), "orders");
  expect(form.getByRole<HTMLButtonElement>("button", { name: "Stop the topic" }).disabled).toBe(true);
});

test("a stopped flow is started, not paused, and its stopped topics start in their rows", async () => {
  const user = userEvent.setup();
  const stop: Stop = {
    id: 9,
    topic: "orders",
    partition: null,
    until_ms: null,
    reason: "moves",
    stopped_by: "bo",
    since_ms: 1,
  };
  const sent = await openCard(
    { "/stops": page(stop), "/actions": { status: 200, body: { ...action("ordered", null), text } } },
    "paused",
    "stop",
  );

  const pause = await screen.findByRole("button", { name: "Pause" });
  expect(pause.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Start" }).disabled).toBe(false);
  await user.click(await screen.findByRole("button", { name: "Start orders" }));
  const form = within(await screen.findByRole("form", { name: "Start a topic" }));
  await user.type(form.getByLabelText(/^Reason/), "moved");
  await user.click(form.getByRole("button", { name: "Start the topic" }));
  await vi.waitFor(() => expect(sent.length).toBe(1));
  const scope = { topic: "orders", partition: null };
  expect(sent[0]?.body).toEqual({ action: "start", reason: "moved", scope, dry_run: false });
});

test("a complete order can be copied as a command", async () => {
  const user = userEvent.setup();
  await openCard({});
  const form = await openForm(user, "Restart", "Restart the flow");
  expect(form.queryByText("The same as a command")).toBeNull();
  await user.type(form.getByLabelText("Topic"), "orders");
  await user.type(form.getByLabelText(/^Reason/), "stuck");
  await user.click(form.getByText("The same as a command"));

  expect(form.getByRole("region", { name: "Command of srm-control" }).textContent).toBe(
    "srm-control flows restart 'us-east->eu-central' --topic orders --reason stuck",
  );
});

test("a dry run shows what a pause covers, orders nothing, and is void after another entry", async () => {
  const user = userEvent.setup();
  const touches = { flows: 1, topics: 1, partitions: 12, slots: null };
  const names = { topics: ["orders"], tasks: ["us-east/source/0"] };
  const dryRun = { dry_run: true, touches, names, text: "orders would not be read" };
  const sent = await openCard({ "/actions": { status: 200, body: dryRun } });
  const form = await openForm(user, "Pause", "Pause the flow");
  await user.type(form.getByLabelText(/^Topic/), "orders");
  await user.type(form.getByLabelText(/^Reason/), "r");
  await user.click(form.getByRole("button", { name: "Dry run" }));

  expect(await form.findByText("orders would not be read")).toBeTruthy();
  expect(form.getByText("Tasks: source task 0")).toBeTruthy();
  expect(form.getByText(/^Covers/).textContent).toBe(
    "Covers 1 topic, 12 partitions and an unknown number of slots. Nothing has changed yet.",
  );
  const body = { action: "pause", reason: "r", scope: { topic: "orders", partition: null }, dry_run: true };
  expect(sent).toEqual([{ method: "POST", path: "/actions", body }]);
  await user.type(form.getByLabelText("Partition"), "3");
  expect(form.queryByText("orders would not be read")).toBeNull();
});

test("no form breaks an accessibility rule", async () => {
  await openCard({});
  const user = userEvent.setup();
  // Colours need a browser: the pairs of tokens have their own test.
  const rules = { "color-contrast": { enabled: false } };
  const forms = [
    ["Pause", "Pause the flow"],
    ["Stop", "Stop the flow"],
    ["Restart", "Restart the flow"],
    ["Throttle", "Throttle the flow"],
    ["Reset a topic", "Reset a topic"],
  ] as const;
  for (const [button, name] of forms) {
    await openForm(user, button, name);
    const { violations } = await axe.run(screen.getByRole("form", { name }), { rules });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`)).toEqual([]);
  }
});

test("a refused order keeps the form, the entered text and the reason of the refusal", async () => {
  const user = userEvent.setup();
  await openCard({ "/actions": REFUSED }, "paused", "pause");
  const form = await openForm(user, "Resume", "Resume the flow");
  await user.type(form.getByLabelText(/^Reason/), "upgrade done");
  await user.click(form.getByRole("button", { name: "Resume the flow" }));

  expect((await form.findByRole("alert")).textContent).toBe("us-east->eu-central is disabled");
  expect(form.getByLabelText<HTMLInputElement>(/^Reason/).value).toBe("upgrade done");
});

test("a flow that is disabled cannot be paused, and the card says so", async () => {
  answerOperator({ [FLOW]: flowIn("disabled") });
  await renderAt(FLOW);

  const pause = await screen.findByRole<HTMLButtonElement>("button", { name: "Pause" });
  expect((await screen.findAllByText("The flow is disabled")).length).toBeGreaterThan(0);
  expect(pause.getAttribute("aria-disabled")).toBe("true");
  const reason = document.getElementById(pause.getAttribute("aria-describedby") ?? "");
  expect(reason?.textContent).toBe("The flow is disabled");
  pause.click();
  expect(screen.queryByRole("form", { name: "Pause the flow" })).toBeNull();
});

test("a reset is ordered only with a reason, after the name of the flow is typed", async () => {
  const user = userEvent.setup();
  const reset: Reset = {
    id: "r1",
    topic: "orders",
    partition: 0,
    to: { offset: 1200 },
    state: "requested",
    requested_by: "bo",
    requested_ms: 1,
    ended_ms: null,
    rejected: null,
  };
  const sent = await openCard({ "/resets": page(reset), "/resets/r1": { status: 200, body: reset } });
  const form = await openForm(user, "Reset a topic", "Reset a topic");
  await user.type(form.getByLabelText(/^Topic/), "orders");
  await user.selectOptions(form.getByLabelText("New position"), "Offset");
  await user.type(form.getByLabelText(/^Offset on the source/), "1200");
  const give = form.getByRole<HTMLButtonElement>("button", { name: "Reset the topic" });
  await user.type(form.getByLabelText(/^Confirm/), "orders");
  expect(give.disabled).toBe(true);
  await user.clear(form.getByLabelText(/^Confirm/));
  await user.type(form.getByLabelText(/^Confirm/), "us-east->eu-central");
  expect(give.disabled).toBe(true);
  await user.type(form.getByLabelText(/^Reason/), "wrong prices");
  await user.click(give);

  const given = (await screen.findByText("1 reset of orders ordered")).closest(".order-progress");
  await vi.waitFor(() => expect(given?.textContent).toBe("1 reset of orders orderedPending"));
  await user.click(
    await screen.findByRole("button", { name: "Withdraw the reset of orders, partition\u00a00" }),
  );
  const end = within(
    await screen.findByRole("form", { name: "Withdraw the reset of orders, partition\u00a00" }),
  );
  await user.type(end.getByLabelText(/^Reason/), "other prices");
  await user.click(end.getByRole("button", { name: "Withdraw the reset" }));
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  await screen.findByText(/^The reset of orders, partition.0 is withdrawn$/);
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("dialog")).toBeNull();

  const body = {
    topic: "orders",
    partition: null,
    reason: "wrong prices",
    to: { offset: 1200 },
    dry_run: false,
  };
  expect(sent).toEqual([
    { method: "POST", path: "/resets", body },
    { method: "DELETE", path: "/resets/r1", query: "?reason=other%20prices", body: null },
  ]);
});

test("a reset says before what it would copy again", async () => {
  const user = userEvent.setup();
  const touches = { flows: 1, topics: 1, partitions: 3, slots: 1 };
  const sent = await openCard({
    "/resets": { status: 200, body: { dry_run: true, touches, text: ["at most 33 records"], items: [] } },
  });
  const form = await openForm(user, "Reset a topic", "Reset a topic");
  await user.type(form.getByLabelText(/^Topic/), "orders");
  await user.click(form.getByRole("button", { name: "Dry run" }));

  expect(await form.findByText("at most 33 records")).toBeTruthy();
  const body = { topic: "orders", partition: null, to: "earliest", reason: "", dry_run: true };
  expect(sent).toEqual([{ method: "POST", path: "/resets", body }]);
});

test("a viewer sees no button that would be refused", async () => {
  await openCard({ "/me": { status: 200, body: { username: "ada", role: "viewer", permissions: [] } } });

  expect(await screen.findByText("No topic is paused.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Pause$|^Stop|^Restart|^Throttle|^Reset/ })).toBeNull();
});

test("a viewer sees the orders of a flow", async () => {
  answerWith({
    "/eu-central": flowIn("healthy"),
    "/actions": page({
      ...action("applied", 12),
      source: "us-east",
      target: "eu-central",
      topic: "orders",
      partition: null,
      task: null,
      reason: "wrong prices",
      detail: "",
      until_ms: null,
      ended_ms: null,
      outcome: "applied",
    }),
  });
  await renderAt(`${FLOW}?tab=orders`);

  expect(await screen.findByText("wrong prices")).toBeTruthy();
});

test("an impossible topic is refused beside its field", async () => {
  const user = userEvent.setup();
  const reason = "names of topics have letters, digits, dots, hyphens and underscores only";
  const body = { status: 400, detail: reason, errors: [{ field: "scope.topic", detail: reason }] };
  await openCard({ "/actions": { status: 400, body } });
  const form = await openForm(user, "Pause", "Pause the flow");
  await user.type(form.getByLabelText("Topic"), "a b");
  await user.type(form.getByLabelText(/^Reason/), "x");
  await user.click(form.getByRole("button", { name: "Pause the topic" }));

  await form.findByText(reason);
  expect(form.getByLabelText("Topic").getAttribute("aria-invalid")).toBe("true");
  expect(form.getByRole("alert").textContent).toBe(
    "Some fields are not valid. The reason is beside each of them.",
  );
});
