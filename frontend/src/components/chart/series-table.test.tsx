import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { lookOf } from "@/components/chart/look";
import { seriesAsCsv } from "@/components/chart/menu/files";
import SeriesTable from "@/components/chart/SeriesTable";
import { count } from "@/lib/format";
import { renderPart } from "@/test/render";

const POINTS = 720;
const LINES = [{ key: "a", label: "Copied", ...lookOf(0) }];
const SERIES = [
  {
    times: Array.from({ length: POINTS }, (_, place) => 1_000 * place),
    values: Array.from({ length: POINTS }, (_, place) => place),
  },
];
const points = {
  read: () => SERIES,
  window: () => ({ from_ms: 0, to_ms: 1_000 * POINTS }),
  isPending: false,
  error: null,
  retry: () => undefined,
  version: 1,
  missing: () => "",
};

test("the table of a chart is read to its oldest point, and so is its file", async () => {
  renderPart(<SeriesTable title="Throughput" lines={LINES} points={points} quantity={count} />);
  expect(screen.getAllByRole("rowheader").length).toBeLessThan(POINTS);

  for (let more = screen.queryByRole("button", { name: "Show more points" }); more !== null; ) {
    await userEvent.click(more);
    more = screen.queryByRole("button", { name: "Show more points" });
  }

  const rows = screen.getAllByRole("rowheader");
  expect(rows).toHaveLength(POINTS);
  expect(rows.at(-1)?.querySelector("time")?.dateTime).toBe("1970-01-01T00:00:00.000Z");
  expect(seriesAsCsv(LINES, SERIES).trim().split("\n")).toHaveLength(1 + POINTS);
});
