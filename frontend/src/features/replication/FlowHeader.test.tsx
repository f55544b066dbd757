import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

const WARNING =
  "Executor 3 on host x: 5 failed tasks in the last 10 minutes. Read its stderr log on that host.";

test.each([
  ["names an executor", WARNING],
  ["needs no attention", null],
])("a flow whose metrics warning %s", async (_, metrics_warning) => {
  const flow = { source: "us-east", target: "eu-central", served_by: "driver-7", metrics_warning };
  answerWith({ "/replications/us-east/eu-central": { status: 200, body: flow } });

  await renderAt("/replications/us-east/eu-central");

  expect(await screen.findByText("driver-7")).toBeDefined();
  const shown = screen.queryByText(`Metrics of this target: ${WARNING}`);
  expect(shown !== null).toBe(metrics_warning !== null);
});

test("a flow whose cluster refuses the connection leads to that cluster", async () => {
  answerWith();
  const text = "cluster eu-central (b:9092) refused the connection: invalid password";
  const cause = { code: "authentication_failed", text, topic: null, partition: null, since_ms: null };
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow({ status: "interrupted", reason: `${text}.`, cause })]));
  await renderAt("/replications/us-east/eu-central", store);

  const link = await screen.findByRole("link", { name: "Connection of eu-central" });
  expect(link.getAttribute("href")).toBe("/clusters/eu-central");
  expect(screen.queryByRole("link", { name: "Connection of us-east" })).toBeNull();
});
