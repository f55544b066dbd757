import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerWith, renderAt } from "@/test/render";
import { keepRequests } from "@/test/requests";

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

const PAGE = "/replications/us-east/eu-central/topics/audit.raw";

test("nothing is said of a topic while the control worker is asked", async () => {
  answerWith({ "/topics/audit.raw": missing });
  keepRequests(({ path }) => (path.endsWith("/topic-states") ? new Promise(() => undefined) : undefined));
  await renderAt(PAGE);
  await screen.findByRole("progressbar", { name: "Loading the state of the topic" });
  expect(screen.queryByText("Topic not found")).toBeNull();
});

test("a control worker that does not answer leaves the reason unknown", async () => {
  const late = { status: 503, body: { detail: "The control worker does not answer." } };
  answerWith({ "/topics/audit.raw": missing, "/topic-states": late });
  await renderAt(PAGE);
  await screen.findByText("Why it is not copied is unknown: The control worker does not answer.");
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  expect(screen.queryByText("Topic not found")).toBeNull();
});

test("a topic of the plan that no driver reports is not called uncopied", async () => {
  answerStates({ topic: "audit.raw", state: "replicated", partitions: 1, remote: null, reason: null });
  await renderAt(PAGE);
  await screen.findByText("No driver reports this topic yet");
  expect(screen.queryByText("The flow does not copy this topic")).toBeNull();
});
