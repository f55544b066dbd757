import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerWith, renderAt } from "@/test/render";

vi.mock("@/components/chart/TimeChart", () => ({ default: () => null }));

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
