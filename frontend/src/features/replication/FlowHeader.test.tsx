import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
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
