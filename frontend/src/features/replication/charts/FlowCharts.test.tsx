import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerWith, renderAt } from "@/test/render";

vi.mock("@/components/chart/TimeChart", () => ({ default: () => null }));

const EVENT = {
  id: 1,
  time_ms: 5,
  to_state: "stalled",
  topic: "orders",
  partition: 3,
  task: "east/source/0",
  text: null,
};

test.each([
  [null, "1 event in this range"],
  ["more", "The newest 1 event of this range"],
])("events of a range that are not all read are not counted as all", async (next_cursor, words) => {
  answerWith({ "/events": { status: 200, body: { items: [EVENT], next_cursor, as_of_ms: 1, partial: [] } } });
  await renderAt("/replications/us-east/eu");

  expect(await screen.findByText(words)).toBeTruthy();
});
