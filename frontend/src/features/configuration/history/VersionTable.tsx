import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import type { Version, VersionOrdering } from "@/api/types";
import { PagedTable, type Pages } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { type OrderedColumn, orderedIds } from "@/components/table/ordering";
import type { TableView } from "@/components/table/useTableView";

export type VersionColumn = OrderedColumn<Version, VersionOrdering>;

interface VersionActions {
  newest: number;
  mayRevert: boolean;
  onCompare: (from: number, to: number) => void;
  onRevert: (number: number) => void;
}

export interface ComparedVersions extends VersionActions {
  from: number;
  to: number;
}

interface SideProps {
  side: "from" | "to";
  number: number;
  compared: ComparedVersions;
}

/** The button of a version that makes it one side of the comparison. */
function Side({ side, number, compared: { from, to, onCompare } }: SideProps) {
  const isFrom = side === "from";
  return (
    <input
      type="radio"
      name={side}
      aria-label={`Compare ${side} version ${number}`}
      checked={number === (isFrom ? from : to)}
      onChange={() => (isFrom ? onCompare(number, to) : onCompare(from, number))}
    />
  );
}

const byNumber = ({ number }: Version) => number;

/** Two columns of radio buttons choose what is compared. */
export const versionColumns = (compared: ComparedVersions): readonly VersionColumn[] => [
  {
    id: "from",
    label: "From",
    value: byNumber,
    isFixed: true,
    cell: ({ number }) => <Side side="from" number={number} compared={compared} />,
  },
  {
    id: "to",
    label: "To",
    value: byNumber,
    isFixed: true,
    isAlways: true,
    cell: ({ number }) => <Side side="to" number={number} compared={compared} />,
  },
  {
    id: "version",
    label: "Version",
    value: byNumber,
    cell: ({ number }) => (
      <>
        {number} {number === compared.newest && <StateBadge tone="ok" word="In force" />}
      </>
    ),
    cellClass: "version-number nowrap",
    isName: true,
    isAlways: true,
    ordering: "number",
  },
  {
    id: "made",
    label: "Made",
    value: ({ at_ms }) => at_ms,
    cell: (version) => <Made version={version} actions={compared} />,
    ordering: "number",
  },
  {
    id: "comment",
    label: "Comment",
    value: ({ comment }) => comment,
    cell: ({ comment }) => comment,
    className: "wide-only",
    cellClass: "version-comment",
    ordering: "comment",
  },
  {
    id: "edits",
    label: "Edits",
    value: ({ edits }) => edits,
    cell: ({ edits }) => edits,
    isNumber: true,
    className: "wide-only",
    ordering: "edits",
  },
  {
    id: "request",
    label: "Request",
    value: ({ request_id }) => request_id,
    cell: ({ request_id }) => <code>{request_id}</code>,
    className: "wide-only",
    cellClass: "muted",
    ordering: "request_id",
  },
  {
    id: "actions",
    label: "Actions",
    value: byNumber,
    cell: ({ number }) => <Actions number={number} {...compared} />,
    className: "wide-only",
    isFixed: true,
    isAlways: true,
  },
];

/** When a version was made and by whom; on a phone with what has no column there. */
function Made({ version, actions }: { version: Version; actions: VersionActions }) {
  const { number, at_ms, author, comment } = version;
  return (
    <>
      <Timestamp time_ms={at_ms} />
      <span className="version-author">{author}</span>
      <span className="narrow-only version-note">{comment}</span>
      <span className="narrow-only">
        <Actions number={number} {...actions} />
      </span>
    </>
  );
}

interface VersionTableProps {
  answer: Pages<Version>;
  view: TableView<VersionColumn>;
}

/** The versions of the configuration, ordered by the service. */
export function VersionTable({ answer, view }: VersionTableProps) {
  return (
    <PagedTable
      className="version-table"
      isStacked={false}
      view={view}
      answer={answer}
      expected={5}
      empty={
        <EmptyState icon={IconHistory} title="No version yet">
          Each change of the configuration creates a version with its author, time and comment.
        </EmptyState>
      }
      ordered={orderedIds(view.all)}
      rowId={({ number }) => String(number)}
    />
  );
}

function Actions({ number, newest, mayRevert, onCompare, onRevert }: VersionActions & { number: number }) {
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
