import { useMemo } from "react";
import { NameText } from "@/components/NameText";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";

export interface Change {
  key: string;
  /** null: it does not exist on this side */
  before: unknown;
  after: unknown;
}

interface ChangesTableProps {
  label: string;
  before?: string;
  after?: string;
  /** two values beside each other, of which neither replaces the other yet */
  isConflict?: boolean;
  rows: readonly Change[];
}

/** Values on two sides: what is removed is struck through, what is new is marked. */
export function ChangesTable(props: ChangesTableProps) {
  const { label, before = "Before", after = "After", isConflict = false, rows } = props;
  const columns = useMemo(() => columnsOf(before, after, isConflict), [before, after, isConflict]);
  const view = useTableView("changes", columns, "");
  return <SmallTable label={label} className="changes" view={view} rows={rows} rowId={({ key }) => key} />;
}

const columnsOf = (before: string, after: string, isConflict: boolean): readonly CellColumn<Change>[] => [
  {
    id: "key",
    label: "Key",
    value: ({ key }) => key,
    cell: ({ key }) => (
      <code>
        <NameText name={key} />
      </code>
    ),
  },
  {
    id: "before",
    label: before,
    value: ({ before }) => textOf(before),
    cell: ({ before }) => <Value value={before} mark={isConflict ? null : "del"} />,
  },
  {
    id: "after",
    label: after,
    value: ({ after }) => textOf(after),
    cell: ({ after }) => <Value value={after} mark={isConflict ? null : "ins"} />,
  },
];

const textOf = (value: unknown) => (value == null ? null : shown(value));

/** A value of one side; `mark`: how it differs from the other one. */
function Value({ value, mark: Mark }: { value: unknown; mark: "del" | "ins" | null }) {
  if (value == null) return <span className="muted">not set</span>;
  return Mark === null ? shown(value) : <Mark>{shown(value)}</Mark>;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value || "(empty)" : JSON.stringify(value);
}
