import { Button } from "@mantine/core";
import { useState } from "react";
import { rowsOfSeries } from "@/components/chart/menu/files";
import type { ChartLine } from "@/components/chart/options";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import { Figure } from "@/components/Figure";
import { PlainTable } from "@/components/table/PlainTable";
import type { Quantity } from "@/lib/format";
import { dayAndClock, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

/** Rows that are shown at first, and added by a press. */
const PAGE = 200;
const REFRESH_MS = 5_000;

interface SeriesTableProps {
  title: string;
  lines: readonly ChartLine[];
  points: ChartPoints;
  quantity: (value: number) => Quantity;
}

/** The points of a chart as a table, newest first. */
export default function SeriesTable({ title, lines, points, quantity }: SeriesTableProps) {
  useNow(REFRESH_MS);
  const [limit, setLimit] = useState(PAGE);
  const rows = rowsOfSeries(points.read()).reverse();
  return (
    <>
      <PlainTable
        className="series-table"
        label={`Table of ${title}`}
        headings={[{ label: "Time" }, ...lines.map(({ label }) => ({ label, className: "numeric" }))]}
      >
        {rows.slice(0, limit).map(({ time_ms, values }) => (
          <tr key={time_ms}>
            <th scope="row">
              <time dateTime={isoTime(time_ms)} title={isoTime(time_ms)}>
                {dayAndClock(time_ms)}
              </time>
            </th>
            {lines.map(({ key }, place) => (
              <td key={key} className="numeric">
                <Figure value={values[place] ?? null} as={quantity} />
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
      {rows.length > limit && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setLimit(limit + PAGE)}>
            Show more points
          </Button>
          <span className="muted">
            The newest {limit} of {rows.length} are shown.
          </span>
        </div>
      )}
    </>
  );
}
