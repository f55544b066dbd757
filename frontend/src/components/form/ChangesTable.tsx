import { NameText } from "@/components/NameText";
import { PlainTable } from "@/components/table/PlainTable";

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
export function ChangesTable({
  label,
  before = "Before",
  after = "After",
  isConflict,
  rows,
}: ChangesTableProps) {
  return (
    <PlainTable label={label} headings={["Key", before, after]} tableClass="changes">
      {rows.map((row) => (
        <tr key={row.key}>
          <th scope="row">
            <code>
              <NameText name={row.key} />
            </code>
          </th>
          <ValueCell value={row.before} mark={isConflict ? null : "del"} />
          <ValueCell value={row.after} mark={isConflict ? null : "ins"} />
        </tr>
      ))}
    </PlainTable>
  );
}

/** A value of one side; `mark`: how it differs from the other one. */
function ValueCell({ value, mark: Mark }: { value: unknown; mark: "del" | "ins" | null }) {
  if (value == null) {
    return (
      <td>
        <span className="muted">not set</span>
      </td>
    );
  }
  return <td>{Mark === null ? shown(value) : <Mark>{shown(value)}</Mark>}</td>;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value || "(empty)" : JSON.stringify(value);
}
