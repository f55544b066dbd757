import { useQuery } from "@tanstack/react-query";
import { summaryQuery } from "@/api/queries";
import { useTimeRange } from "@/components/TimeRangeSelect";

/** Which part of the system could not answer, while the rest is shown. */
export function PartialNote() {
  const range = useTimeRange();
  const { data: summary } = useQuery(summaryQuery(range));
  if (summary === undefined || summary.partial.length === 0) return null;
  return (
    <div className="partial">
      {summary.partial.map(({ peer, error }) => (
        <p key={peer}>
          <strong>Not everything is shown:</strong> {peer}: {error}
        </p>
      ))}
    </div>
  );
}
