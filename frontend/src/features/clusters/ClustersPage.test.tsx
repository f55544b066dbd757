import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Cluster } from "@/api/types";
import { answerWith, renderAt } from "@/test/render";

const DAY_MS = 86_400_000;

const aCluster = (alias: string, change: Partial<Cluster>): Cluster => ({
  alias,
  bootstrap: ["b:9092"],
  client: {},
  secret_names: [],
  location: "colocated",
  problem: "",
  reachable: true,
  error: null,
  cluster_id: "id",
  brokers: 3,
  kafka_version: "4.1",
  certificate_until_ms: null,
  checked_ms: 1,
  labels: {},
  owner: "",
  criticality: "normal",
  runbook: "",
  ...change,
});

test("clusters have Kafka's release and warn before a certificate ends", async () => {
  const items = [
    aCluster("us-east", { certificate_until_ms: Date.now() + 10.5 * DAY_MS }),
    aCluster("eu-central", { kafka_version: null, certificate_until_ms: Date.now() - 1.5 * DAY_MS }),
    aCluster("plain", {}),
  ];
  answerWith({ "/clusters": { status: 200, body: { items, next_cursor: null, as_of_ms: 1, partial: [] } } });
  await renderAt("/clusters");

  const row = async (alias: string) => (await screen.findByRole("link", { name: alias })).closest("tr");
  expect((await row("us-east"))?.textContent).toContain("4.110 days left");
  expect((await row("eu-central"))?.textContent).toContain("not known yetExpired 2 days ago");
  expect((await row("plain"))?.textContent).toContain("none presented");
});
