import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerWith, renderAt } from "@/test/render";

const missing = { status: 404, body: { title: "Not found", detail: "no such topic" } };

function answerStates(...items: object[]): void {
  const states = { source: "us-east", target: "eu-central", items, counts: {}, next_after: null };
  answerWith({ "/topics/audit.raw": missing, "/topic-states": { status: 200, body: states } });
}

test("the page of a topic that the flow does not copy says why", async () => {
  const denied = {
    state: "denied",
    partitions: 1,
    remote: null,
    reason: "the deny pattern audit.* matches it",
  };
  answerStates({ ...denied, topic: "audit.raw.old", reason: "other" }, { ...denied, topic: "audit.raw" });
  await renderAt("/replications/us-east/eu-central/topics/audit.raw");
  await screen.findByText(/^Denied: the deny pattern audit\.\* matches it\./);
  const link = screen.getByRole("link", { name: "the denied topics of the flow" });
  expect(link.getAttribute("href")).toMatch(/tab=topics&state=denied&topic=audit\.raw$/);
});

test("the page of a topic that the source does not have says so", async () => {
  answerStates();
  await renderAt("/replications/us-east/eu-central/topics/audit.raw");
  expect(await screen.findByText("Topic not found")).toBeTruthy();
});
