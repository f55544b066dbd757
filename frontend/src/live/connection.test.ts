import { describe, expect, test } from "vitest";
import { backoffDelay, type ConnectionFacts, connectionWord } from "@/live/connection";

const OPEN: ConnectionFacts = {
  is_open: true,
  is_signed_out: false,
  heard_ms: 1_000,
  lost_ms: null,
  was_open: true,
};
const LOST: ConnectionFacts = { ...OPEN, is_open: false, lost_ms: 10_000 };

describe("the word for the connection", () => {
  test.each<[string, ConnectionFacts, number, string]>([
    ["frames come", OPEN, 2_000, "live"],
    ["nothing for more than five seconds", OPEN, 6_100, "stale"],
    ["just lost", LOST, 10_500, "reconnecting"],
    ["lost for thirty seconds", LOST, 40_000, "polling"],
    ["never open yet", { ...LOST, was_open: false, lost_ms: null }, 11_000, "connecting"],
    ["the session has ended", { ...LOST, is_signed_out: true }, 99_000, "signed_out"],
  ])("%s", (_, facts, now_ms, word) => {
    expect(connectionWord(facts, now_ms)).toBe(word);
  });
});

test("the wait before the next attempt doubles up to fifteen seconds", () => {
  expect([0, 1, 2, 10].map((attempt) => backoffDelay(attempt, 1))).toEqual([500, 1_000, 2_000, 15_000]);
});

test("half of the wait is random", () => {
  expect(backoffDelay(2, 0)).toBe(1_000);
});
