import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerWith, renderAt } from "@/test/render";

const EVENT = {
  id: 1,
  source: "us-east",
  target: "eu",
  time_ms: 5,
  to_state: "stalled",
  topic: "orders",
  partition: 3,
  task: "east/source/0",
  text: null,
};

test.each([
  [false, "1 event in this range"],
  [true, "The newest 1 event of this range"],
])("events of a range that are not all read are not counted as all", async (is_cut, words) => {
  answerWith({ "/marks": { status: 200, body: { events: [EVENT], gaps: [], versions: [], is_cut } } });
  await renderAt("/replications/us-east/eu");

  expect(await screen.findByText(words)).toBeTruthy();
});

test.each([
  ["events that need attention", [EVENT], "bad"],
  ["changes of the configuration", [], "config"],
])("%s have the colour of their marks", async (_, events, tone) => {
  const versions = [{ at_ms: 5, number: 3, author: "ada", comment: "" }];
  answerWith({ "/marks": { status: 200, body: { events, gaps: [], versions, is_cut: false } } });
  await renderAt("/replications/us-east/eu");

  expect((await screen.findByText(/^\d events? in this range$/)).dataset.tone).toBe(tone);
});

test("a comparison without stored points says so, and the values of a past range have their time", async () => {
  answerWith();
  await renderAt("/replications/us-east/eu?compare=day&from=1700000000000&to=1700000600000");

  expect((await screen.findAllByText(/yesterday: nothing was measured then$/)).length).toBeGreaterThan(1);
  expect(screen.getAllByText("At the end of the range:").length).toBeGreaterThan(0);
});
