import { Button } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import type { KnownKey } from "@/api/types";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { EffectBadge } from "@/features/configuration/properties/EffectBadge";
import { HIDDEN } from "@/features/configuration/properties/keys";
import type { Row } from "@/features/configuration/properties/levels";
import { PropertyDetail } from "@/features/configuration/properties/PropertyDetail";

interface PropertyTableProps {
  rows: readonly Row[];
  /** the rows of all places, which say who else sets a key */
  all: readonly Row[];
  table: ReadonlyMap<string, KnownKey>;
}

const PAGE = 150;

/** Properties with their values; a row opens what is known of its key. */
export function PropertyTable({ rows, all, table }: PropertyTableProps) {
  const [limit, setLimit] = useState(PAGE);
  const { key: opened } = useSearch({ from: "/configuration" });
  const navigate = useNavigate();
  const open = (key: string | undefined) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, key }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" aria-label="Table of properties" tabIndex={0}>
        <table className="table config-table">
          <thead>
            <tr>
              <th scope="col">Property</th>
              <th scope="col">Value</th>
              <th scope="col" className="wide-only">
                Effect
              </th>
              <th scope="col" className="wide-only">
                Origin
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, limit).map((row) => (
              <Fragment key={row.key}>
                <PropertyRow
                  row={row}
                  isOpen={row.key === opened}
                  onToggle={() => open(row.key === opened ? undefined : row.key)}
                />
                {row.key === opened && (
                  <tr className="detail-row">
                    <td colSpan={4}>
                      <PropertyDetail key={row.key} row={row} all={all} table={table} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > limit && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setLimit(limit + PAGE)}>
            Show more properties
          </Button>
        </div>
      )}
    </>
  );
}

interface PropertyRowProps {
  row: Row;
  isOpen: boolean;
  onToggle: () => void;
}

function PropertyRow({ row, isOpen, onToggle }: PropertyRowProps) {
  const { key, base, name, property, state } = row;
  return (
    <tr data-state={state}>
      <th scope="row">
        <button type="button" className="expander" aria-expanded={isOpen} onClick={onToggle}>
          <IconChevronRight size={16} aria-hidden />
          <code>
            {base !== "" && (
              <span className="config-base">
                <NameText name={base} />
              </span>
            )}
            <NameText name={name} />
          </code>
        </button>
        <span className="narrow-only">{property !== null && <EffectBadge property={property} />}</span>
      </th>
      <td className="config-value-cell">
        <RowValue row={row} />
      </td>
      <td className="wide-only">{property !== null && <EffectBadge property={property} isWorking />}</td>
      <td className="wide-only muted config-origin" title={property?.comment || undefined}>
        {property?.origin ?? <span title={key}>the draft</span>}
      </td>
    </tr>
  );
}

const WORDS = { changed: "Changed", added: "Added", removed: "Removed" } as const;

function RowValue({ row }: { row: Row }) {
  const { property, change, state } = row;
  if (state === "same") return <Shown value={property?.value ?? ""} />;
  return (
    <span className="config-change">
      <StateBadge tone={state === "removed" ? "bad" : "warn"} word={WORDS[state]} />
      {property !== null && (
        <del>
          <Shown value={property.value} />
        </del>
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
      <NameText name={value} />
    </code>
  );
}
