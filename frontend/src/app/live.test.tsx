import { useQuery } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pauseQueries } from "@/app/live";
import { useNow } from "@/live/context";
import { LiveStore } from "@/live/store";
import { renderPart } from "@/test/render";

const START_MS = 1_700_000_000_000;
const store = new LiveStore();
let answers = 0;

beforeEach(() => {
  answers = 0;
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => vi.useRealTimers());

function Counter({ isAwaited }: { isAwaited: boolean }) {
  const { data } = useQuery({
    queryKey: ["counter"],
    queryFn: () => ++answers,
    refetchInterval: 1_000,
    refetchIntervalInBackground: isAwaited,
  });
  return (
    <p role="status">
      {data} after {useNow() - START_MS} ms
    </p>
  );
}

async function pass(length_ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(length_ms));
}

const shown = () => screen.getByRole("status").textContent;

test("nothing on the page changes while live updates are paused, and resuming reads it again", async () => {
  const stop = pauseQueries(store);
  renderPart(<Counter isAwaited={false} />, store);
  await pass(3_500);
  act(() => store.setPaused(true));
  await pass(0);
  const [before, answered] = [shown(), answers];
  expect(answered).toBe(4);
  await pass(60_000);
  expect(shown()).toBe(before);
  expect(answers).toBe(answered);

  act(() => store.setPaused(false));
  await pass(0);
  expect(answers).toBe(answered + 1);
  await pass(3_000);
  expect(shown()).not.toBe(before);
  stop();
});

test("an answer that a person waits for is read also while paused", async () => {
  const stop = pauseQueries(store);
  renderPart(<Counter isAwaited />, store);
  act(() => store.setPaused(true));
  await pass(3_500);
  expect(answers).toBe(4);
  act(() => store.setPaused(false));
  stop();
});
