import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { TopicThrottle } from "@/api/types";
import { action, openCard, openForm, page } from "@/test/orders";

test("a throttle is entered in MB per second and can be removed", async () => {
  const user = userEvent.setup();
  const sent = await openCard({
    "/actions": { status: 200, body: { ...action("ordered", null), text: "it reads at most 2,500,000" } },
    "/actions/7": { status: 200, body: action("applied", 12) },
  });
  const limiting = await openForm(user, "Throttle", "Throttle the flow");
  await user.type(limiting.getByLabelText(/^MB per second/), "2.5");
  await user.type(limiting.getByLabelText(/^Reason/), "day");
  await user.click(limiting.getByRole("button", { name: "Set the throttle" }));
  expect(await screen.findByText("it reads at most 2,500,000")).toBeTruthy();
  const removing = await openForm(user, "Throttle", "Throttle the flow");
  await user.selectOptions(removing.getByLabelText("Throttle"), "Remove the throttle");
  await user.type(removing.getByLabelText(/^Reason/), "night");
  await user.click(removing.getByRole("button", { name: "Remove the throttle" }));
  const common = { action: "throttle", until_ms: null, dry_run: false };
  await vi.waitFor(() =>
    expect(sent.map(({ body }) => body)).toEqual([
      { ...common, reason: "day", bytes_per_second: 2_500_000 },
      { ...common, reason: "night", bytes_per_second: null },
    ]),
  );
});

test("a throttle is undone by the one of before", async () => {
  const user = userEvent.setup();
  const sent = await openCard({
    "/throttle": { status: 200, body: { bytes_per_second: 4_000_000, until_ms: null } },
    "/actions": { status: 200, body: { ...action("ordered", null), changed: true, text: "it reads slower" } },
    "/actions/7": { status: 200, body: action("applied", 12) },
  });
  const form = await openForm(user, "Throttle", "Throttle the flow");
  await user.type(form.getByLabelText(/^MB per second/), "2.5");
  await user.type(form.getByLabelText(/^Reason/), "day");
  await user.click(form.getByRole("button", { name: "Set the throttle" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await vi.waitFor(() => expect(sent.length).toBe(2));
  expect(sent.map(({ body }) => body)).toMatchObject([
    { reason: "day", bytes_per_second: 2_500_000 },
    { reason: "undone: day", bytes_per_second: 4_000_000, until_ms: null, dry_run: false },
  ]);
});

test("a throttle is for a topic or partition, too, with its end, and is removed in its row", async () => {
  const user = userEvent.setup();
  const throttle: TopicThrottle = {
    id: 4,
    topic: "payments",
    partition: 3,
    bytes_per_second: 1_000_000,
    until_ms: null,
    reason: "busy disks",
    throttled_by: "bo",
    since_ms: 1,
  };
  const sent = await openCard({
    "/throttles": page(throttle),
    "/actions": { status: 200, body: { ...action("ordered", null), text: "orders reads at most 500,000" } },
    "/actions/7": { status: 200, body: action("applied", 12) },
  });
  const form = await openForm(user, "Throttle", "Throttle the flow");
  expect(form.getByText(/Now: No limit/)).toBeTruthy();
  await user.type(form.getByLabelText(/^MB per second/), "0.5");
  await user.type(form.getByLabelText(/^Reason/), "day");
  await user.type(form.getByLabelText("Partition"), "0");
  expect(form.getByRole<HTMLButtonElement>("button", { name: "Set the throttle" }).disabled).toBe(true);
  await user.type(form.getByLabelText("Topic"), "orders");
  expect(form.getByText(/Now: No throttle/)).toBeTruthy();
  await user.click(form.getByRole("button", { name: "Set the throttle" }));
  expect(await screen.findByText("orders reads at most 500,000")).toBeTruthy();
  await user.click(
    await screen.findByRole("button", { name: "Remove the throttle of payments, partition\u00a03" }),
  );

  const removal = within(await screen.findByRole("form", { name: "Throttle a partition" }));
  expect(removal.getByText(/Now:/).textContent).toMatch(/Now: 1\.00\s?MB\/s/);
  await user.type(removal.getByLabelText(/^Reason/), "night");
  await user.click(removal.getByRole("button", { name: "Remove the throttle" }));

  const common = { action: "throttle", dry_run: false };
  await vi.waitFor(() =>
    expect(sent.map(({ body }) => body)).toEqual([
      {
        ...common,
        reason: "day",
        bytes_per_second: 500_000,
        until_ms: null,
        scope: { topic: "orders", partition: 0 },
      },
      {
        ...common,
        reason: "night",
        bytes_per_second: null,
        until_ms: null,
        scope: { topic: "payments", partition: 3 },
      },
    ]),
  );
});

test("no limit is told of the flow while its configuration is unread", async () => {
  await openCard({ "/effective": { status: 503, body: { detail: "The configuration is busy." } } });
  const card = await screen.findByText("Throttle", { selector: "dt" });
  await vi.waitFor(() =>
    expect(card.nextElementSibling?.textContent).toContain("The configuration is busy."),
  );
  expect(card.nextElementSibling?.textContent).not.toContain("No order");
});

test.each([
  [{ status: 503, body: { detail: "The throttles are busy." } }, "could not be loaded"],
  [
    { status: 200, body: { ...(page().body as object), next_cursor: "b" } },
    "not among the throttles read so far",
  ],
])("the throttle of a topic that is unread says why", async (throttles, why) => {
  const user = userEvent.setup();
  await openCard({ "/throttles": throttles });
  const form = await openForm(user, "Throttle", "Throttle the flow");
  await user.type(form.getByLabelText("Topic"), "orders");
  await vi.waitFor(() => expect(form.getByText(/Now:/).textContent).toContain(why));
});
