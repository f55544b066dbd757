import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { DriftedConfig } from "@/api/types";
import { TopicConfigs } from "@/features/replication/topic/TopicConfigs";
import { answerWith, renderWithAddress } from "@/test/render";
import { keepRequests } from "@/test/requests";

const ME = { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } };

const drifted = (change: Partial<DriftedConfig>) => ({
  ...{ topic: "orders", remote: "us-east.orders", key: "retention.ms", is_synced: true, reason: null },
  is_drift: true,
  ...change,
});

async function renderConfigs(items: unknown[], compared: number, me = ME): Promise<void> {
  answerWith({
    "/me": me,
    "/drift": {
      status: 200,
      body: { source: "us-east", target: "eu", items, unread: [], counts: { compared } },
    },
  });
  await renderWithAddress(<TopicConfigs source="us-east" target="eu" topic="orders" />);
}

test("configs of a topic that the flow does not copy now are not called the same", async () => {
  await renderConfigs([], 0);

  expect(await screen.findByText("The configs were not compared")).toBeTruthy();
  expect(screen.queryByText("The configs of both sides are the same")).toBeNull();
});

test("configs that are the same have the time at which they were compared", async () => {
  await renderConfigs([], 1);

  expect(await screen.findByText("The configs of both sides are the same")).toBeTruthy();
  expect(screen.getByText(/^Compared at both clusters at/).querySelector("time")).toBeTruthy();
});

test("a value that only the brokers of the target give is told from one that differs", async () => {
  const differs = drifted({ source_value: "1", target_value: "2" });
  const inherited = drifted({ key: "cleanup.policy", source_value: "compact", target_value: "compact" });
  await renderConfigs([differs, inherited], 1);

  expect(await screen.findByText("Yes: drift")).toBeTruthy();
  expect(screen.getByText("Yes: not set on the topic; same as the default of eu")).toBeTruthy();
});

test("a viewer sees the differences and has no orders", async () => {
  const viewer = { status: 200, body: { username: "vi", role: "viewer", permissions: [] } };
  await renderConfigs([drifted({ source_value: "1", target_value: "2" })], 1, viewer);

  expect(await screen.findByText("Yes: drift")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /^Set again/ })).toBeNull();
});

test("all configs are asked for, and those without drift say why", async () => {
  const equal = drifted({
    ...{ key: "segment.ms", source_value: "7", target_value: "7", is_synced: false, is_drift: false },
  });
  await renderConfigs([equal], 1);
  const { reads } = keepRequests();
  await userEvent.setup().click(await screen.findByRole("switch", { name: "All configs" }));

  expect(await screen.findByText("Same")).toBeTruthy();
  await vi.waitFor(() => expect(reads.map(({ query }) => query).join()).toContain("with_equal=true"));
});

test("configs are set again only after a confirmation that names the values", async () => {
  const user = userEvent.setup();
  await renderConfigs([drifted({ source_value: "1", target_value: "2" })], 1);
  const done = { source: "us-east", target: "eu", items: [{ topic: "orders", text: "set" }] };
  const { changes } = keepRequests(({ method }) => (method === "POST" ? Response.json(done) : undefined));
  await user.click(await screen.findByRole("button", { name: "Set again: retention.ms" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Set retention.ms again?" }));

  expect(dialog.getByText(/The audit trail records it\./)).toBeTruthy();
  expect(dialog.getByText("2 → 1")).toBeTruthy();
  expect(changes).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Set on eu" }));
  await vi.waitFor(() =>
    expect(changes.map(({ body }) => body)).toEqual([
      { topics: ["orders"], keys: ["retention.ms"], wait_ms: 5000 },
    ]),
  );
});
