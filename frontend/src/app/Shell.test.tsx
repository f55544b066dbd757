import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setZone } from "@/lib/time";
import { beat } from "@/live/pulse";
import { LiveStore } from "@/live/store";
import { aFlow, aFrame } from "@/test/builders";
import { answerWith, renderAt } from "@/test/render";

const NOON_UTC_MS = Date.UTC(2026, 0, 2, 12, 30, 15);

beforeEach(() => {
  answerWith();
  vi.useFakeTimers({ now: NOON_UTC_MS, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  setZone("local");
  vi.unstubAllEnvs();
});

function liveStore(): LiveStore {
  const store = new LiveStore();
  store.opened();
  store.applyFrame(aFrame([aFlow()], { time_ms: NOON_UTC_MS }));
  return store;
}

/** The page as it is some time after its last frame. */
function later(length_ms: number): void {
  vi.setSystemTime(NOON_UTC_MS + length_ms);
  act(beat);
}

test.each([
  ["Live", 4_000, "4 s", (store: LiveStore) => store.opened()],
  ["Stale", 9_000, "9 s", () => undefined],
  [
    "Disconnected, refreshing every 10 s",
    95_000,
    "1 min",
    (store: LiveStore) => {
      vi.setSystemTime(NOON_UTC_MS + 1_000);
      store.lost();
    },
  ],
])("%s has the age of the newest numbers on hover", async (word, length_ms, old, happen) => {
  const store = await renderAt("/nowhere", liveStore());
  act(() => happen(store));
  later(length_ms);
  await userEvent.hover(await screen.findByText(word));
  const tip = await screen.findByRole("tooltip");
  expect(tip.textContent?.replaceAll("\u00a0", " ")).toBe(`Last update ${old} ago`);
});

test("a past range tells that live updates are paused, and resumes them", async () => {
  const store = liveStore();
  store.setPaused(true);
  await renderAt("/nowhere?from=1700000000000&to=1700003600000", store);
  expect(await screen.findByText(/^Paused at /)).toBeTruthy();
  expect(screen.queryByText("Past range")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Resume live updates" }));
  expect(await screen.findByText("Past range")).toBeTruthy();
  expect(store.isPaused()).toBe(false);
});

test("the switch of the zone changes the times on the page between local ones and UTC", async () => {
  vi.stubEnv("TZ", "Asia/Kolkata");
  setZone("local");
  await renderAt("/nowhere", liveStore());
  await userEvent.click(await screen.findByLabelText("Pause live updates"));
  expect(screen.getByText("Paused at 18:00:15")).toBeTruthy();

  await userEvent.click(screen.getByLabelText("UTC+5:30: show times in UTC"));
  expect(await screen.findByText("Paused at 12:30:15")).toBeTruthy();

  await userEvent.click(screen.getByLabelText("UTC: show local times"));
  expect(await screen.findByText("Paused at 18:00:15")).toBeTruthy();
});
