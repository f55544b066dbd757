import { IconArrowRight } from "@tabler/icons-react";
import type { KnownKey } from "@/api/types";
import { Unknown } from "@/components/Figure";
import { NameList, NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import type { TableView } from "@/components/table/useTableView";
import { KeyedTable, KeyName } from "@/features/configuration/KeyedTable";
import { EffectBadge } from "@/features/configuration/properties/EffectBadge";
import { HIDDEN } from "@/features/configuration/properties/keys";
import type { Row } from "@/features/configuration/properties/levels";
import { PropertyDetail } from "@/features/configuration/properties/PropertyDetail";

export const PROPERTY_COLUMNS: readonly CellColumn<Row>[] = [
  { id: "property", label: "Property", value: ({ key }) => key, cell: (row) => <PropertyName row={row} /> },
  {
    id: "value",
    label: "Value",
    value: ({ property, change }) => sortValue(change?.value ?? property?.value ?? null),
    cell: (row) => <RowValue row={row} />,
    cellClass: "config-value-cell",
  },
  {
    id: "effect",
    label: "Effect",
    value: ({ property }) => property?.effect ?? null,
    cell: ({ property }) => property !== null && <EffectBadge property={property} isWorking />,
    className: "wide-only",
  },
  {
    id: "origin",
    label: "Origin",
    value: ({ property }) => property?.origin ?? null,
    cell: ({ property }) => (
      <span title={property?.comment || undefined}>{property?.origin ?? "the draft"}</span>
    ),
    className: "wide-only",
    cellClass: "muted config-origin",
  },
  {
    id: "level",
    label: "Level",
    value: ({ level }) => level,
    cell: ({ level }) => level,
    className: "wide-only",
    isExtra: true,
  },
  {
    id: "comment",
    label: "Comment",
    value: ({ property }) => property?.comment || null,
    cell: ({ property }) => property?.comment || <Unknown why="no comment" />,
    className: "wide-only",
    cellClass: "muted",
    isExtra: true,
  },
];

/** Texts of numbers are ordered as numbers, before all others. */
function sortValue(text: string | null): string | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text).toFixed(3).padStart(24) : text;
}

interface PropertyTableProps {
  rows: readonly Row[];
  /** the rows of all places, which say who else sets a key */
  all: readonly Row[];
  table: ReadonlyMap<string, KnownKey>;
  view: TableView<CellColumn<Row>>;
}

const PAGE = 150;

/** Properties with their values; a row opens what is known of its key. */
export function PropertyTable({ rows, all, table, view }: PropertyTableProps) {
  return (
    <KeyedTable
      view={view}
      rows={rows}
      rowId={({ key }) => key}
      page={PAGE}
      stateOf={({ state }) => state}
      details={(row) => <PropertyDetail key={row.key} row={row} all={all} table={table} />}
    />
  );
}

function PropertyName({ row: { key, base, name, property } }: { row: Row }) {
  return (
    <>
      <KeyName name={key}>
        {base !== "" && (
          <span className="config-base">
            <NameText name={base} />
            <wbr />
          </span>
        )}
        <NameText name={name} />
      </KeyName>
      <span className="narrow-only">{property !== null && <EffectBadge property={property} />}</span>
    </>
  );
}

const WORDS = { changed: "Changed", added: "Added", removed: "Removed" } as const;

function RowValue({ row }: { row: Row }) {
  const { property, change, state } = row;
  if (state === "same") return <Shown value={property?.value ?? ""} />;
  return (
    <span className="config-change">
      <StateBadge tone={state === "removed" ? "bad" : "idle"} word={WORDS[state]} />
      {property !== null && (
        <del>
          <Shown value={property.value} />
        </del>
      )}
      {property !== null && change?.value != null && (
        <IconArrowRight size={14} role="img" aria-label="becomes" />
      )}
      {change !== null && change.value !== null && (
        <ins>
          <Shown value={change.value} />
        </ins>
      )}
    </span>
  );
}

/** A value; of a secret only that there is one. */
export function Shown({ value }: { value: string }) {
  if (value === HIDDEN) return <span className="tag">secret, stored</span>;
  if (value === "") return <span className="muted">empty</span>;
  return (
    <code className="config-value">
      {value.includes(", ") ? <NameList names={value.split(", ")} /> : <NameText name={value} />}
    </code>
  );
}
