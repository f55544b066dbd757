import { Link } from "@tanstack/react-router";
import type { RecordAddress } from "@/api/topic";
import { partName } from "@/lib/format";

/** A link to a record and its copy, side by side. */
export function RecordLink({ source, target, topic, partition, offset, on }: RecordAddress) {
  return (
    <Link
      to="/replications/$source/$target/topics/$topic/record"
      params={{ source, target, topic }}
      search={(search) => ({
        from: search.from,
        to: search.to,
        partition,
        offset,
        on: on === "target" ? on : undefined,
      })}
      className="nowrap"
      aria-label={`Both records of ${partName(topic, partition)}, offset ${offset}`}
    >
      Both records
    </Link>
  );
}
