import { Button } from "@mantine/core";
import type { Version } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import { PlainTable } from "@/components/table/PlainTable";

const HEADINGS = [
  ...["From", "To", "Version", "Made"],
  { label: "Comment", className: "wide-only" },
  { label: "Edits", className: "numeric wide-only" },
  { label: "Request", className: "wide-only" },
  { label: "Actions", className: "wide-only" },
];

interface VersionTableProps {
  versions: readonly Version[];
  newest: number;
  from: number | undefined;
  to: number | undefined;
  mayRevert: boolean;
  onCompare: (from: number, to: number) => void;
  onRevert: (number: number) => void;
}

/** Versions, the newest first. Two columns of radio buttons choose what is compared. */
export function VersionTable(props: VersionTableProps) {
  const { versions, newest, onCompare } = props;
  const from = props.from ?? Math.max(0, newest - 1);
  const to = props.to ?? newest;
  return (
    <PlainTable label="Table of versions" headings={HEADINGS} tableClass="version-table">
      {versions.map(({ number, author, at_ms, comment, edits, request_id }) => (
        <tr key={number}>
          <td>
            <input
              type="radio"
              name="from"
              aria-label={`Compare from version ${number}`}
              checked={number === from}
              onChange={() => onCompare(number, to)}
            />
          </td>
          <td>
            <input
              type="radio"
              name="to"
              aria-label={`Compare to version ${number}`}
              checked={number === to}
              onChange={() => onCompare(from, number)}
            />
          </td>
          <th scope="row" className="version-number nowrap">
            {number} {number === newest && <StateBadge tone="ok" word="In force" />}
          </th>
          <td>
            <Timestamp time_ms={at_ms} />
            <span className="version-author">{author}</span>
            <span className="narrow-only version-note">{comment}</span>
            <span className="narrow-only">
              <Actions number={number} {...props} />
            </span>
          </td>
          <td className="version-comment wide-only">{comment}</td>
          <td className="numeric wide-only">{edits}</td>
          <td className="wide-only muted">
            <code>{request_id}</code>
          </td>
          <td className="wide-only">
            <Actions number={number} {...props} />
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

function Actions(props: VersionTableProps & { number: number }) {
  const { number, newest, mayRevert, onCompare, onRevert } = props;
  return (
    <span className="version-actions">
      <Button size="compact-xs" variant="default" onClick={() => onCompare(number - 1, number)}>
        Show changes
      </Button>
      {mayRevert && number !== newest && (
        <Button size="compact-xs" variant="default" onClick={() => onRevert(number)}>
          Revert to {number}
        </Button>
      )}
    </span>
  );
}
