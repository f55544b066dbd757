import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beat, onBeat } from "@/live/pulse";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("frames set the pace, and without frames the beat comes by itself", () => {
  const heard = vi.fn();
  const stop = onBeat(heard);
  for (let second = 0; second < 5; second++) {
    vi.advanceTimersByTime(1_000);
    beat();
  }
  expect(heard).toHaveBeenCalledTimes(5);
  vi.advanceTimersByTime(3_500);
  expect(heard).toHaveBeenCalledTimes(8);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
