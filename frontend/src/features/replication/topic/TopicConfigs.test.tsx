import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { DriftedConfig } from "@/api/types";
import { TopicConfigs } from "@/features/replication/topic/TopicConfigs";
import { answerWith, renderWithAddress } from "@/test/render";

const ME = { status: 200, body: { username: "bo", role: "operator", permissions: ["flows.act"] } };

const drifted = (change: Partial<DriftedConfig>) => ({
  ...{ topic: "orders", remote: "us-east.orders", key: "retention.ms", is_synced: true, reason: null },
  ...change,
});

async function renderConfigs(items: unknown[], compared: number): Promise<void> {
  answerWith({
    "/me": ME,
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
