import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { TimeRangeSelect, useSetTimeRange, useZoom } from "@/components/TimeRangeSelect";
import type { RangeSearch } from "@/lib/range";
import { renderWithAddress } from "@/test/render";

const HOUR = { from: 1_700_000_000_000, to: 1_700_003_600_000 };
const MINUTE = { from: 1_700_000_000_000, to: 1_700_000_060_000 };

function Zoom() {
  const { zoomIn, zoomOut } = useZoom();
  const setRange = useSetTimeRange();
  const actions: readonly [string, () => void][] = [
    ["hour", () => zoomIn(HOUR)],
    ["minute", () => zoomIn(MINUTE)],
    ["zoom out", zoomOut],
    ["last day", () => setRange({ from: "now-24h" })],
    ["that hour", () => setRange(HOUR)],
  ];
  const buttons = actions.map(([name, press]) => (
    <button key={name} type="button" onClick={press}>
      {name}
    </button>
  ));
  return (
    <>
      {buttons}
      <TimeRangeSelect />
    </>
  );
}

/** Renders a page that zooms, with its own presses and the range of its address. */
async function openPage() {
  const searchOf = await renderWithAddress(<Zoom />);
  return async (...names: string[]): Promise<RangeSearch> => {
    for (const name of names) await act(async () => screen.getByRole("button", { name }).click());
    const { from, to } = searchOf() as RangeSearch;
    return { from, to };
  };
}

test("a chart zooms further and returns to the range before the first zoom", async () => {
  const press = await openPage();
  expect(await press("last day", "hour", "minute")).toEqual(MINUTE);
  expect(await press("zoom out")).toEqual({ from: "now-24h", to: undefined });
});

test("a range that was chosen after a zoom is no zoom: the way back leads to the usual range", async () => {
  const press = await openPage();
  expect(await press("hour", "last day", "zoom out")).toEqual({ from: undefined, to: undefined });
});

test("a zoom of another page is not the way back of this one", async () => {
  const before = await openPage();
  await before("last day", "hour");
  document.body.replaceChildren();
  const press = await openPage();
  expect(await press("that hour", "zoom out")).toEqual({ from: undefined, to: undefined });
});

test.each([
  [["last day", "hour", "minute"], "now-24h"],
  [["that hour", "minute"], undefined],
  [["last day", "that hour"], undefined],
])("the way back to live after %s leads to the live range before a zoom", async (names, from) => {
  const press = await openPage();
  expect(await press(...names, "Back to live")).toEqual({ from, to: undefined });
});
