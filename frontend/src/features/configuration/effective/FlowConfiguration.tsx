import { NameText } from "@/components/NameText";
import { useAddressState } from "@/components/table/useAddressState";
import "@/components/form/form.css";
import "@/features/configuration/configuration.css";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconChevronRight } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { FlowAddress } from "@/api/queries";
import type { EffectiveValue } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Check } from "@/components/form/Check";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { Chain } from "@/features/configuration/effective/Chain";
import { EffectBadge } from "@/features/configuration/properties/EffectBadge";
import { Shown } from "@/features/configuration/properties/PropertyTable";
import { effectiveQuery } from "@/features/configuration/requests";
import { RevisionChips } from "@/features/configuration/rollout/RevisionChips";
import { plural } from "@/lib/format";

const TYPING_MS = 250;
const COLUMNS = [
  { id: "client", label: "Client", value: (row: EffectiveValue) => row.client },
  { id: "name", label: "Key", value: (row: EffectiveValue) => row.name },
  { id: "value", label: "Value in force", value: (row: EffectiveValue) => row.value },
  { id: "level", label: "Level", value: (row: EffectiveValue) => row.level },
  { id: "effect", label: "Effect", value: (row: EffectiveValue) => row.effect },
];

/** The values in force of one flow, each with the level that wins and the values that lost. */
export default function FlowConfiguration(flow: FlowAddress) {
  const search = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [sort, setSort] = useAddressState("values_sort", "client");
  const q = search.key ?? "";
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const answer = useInfiniteQuery(effectiveQuery(flow, { key: asked, only_set: search.defaults !== true }));
  const change = (query: object) =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  const address = `${flow.source}->${flow.target}`;
  return (
    <Card
      title="Configuration"
      note={<RevisionChips flow={flow} />}
      tools={
        <>
          <ListFilter label="Filter by key" value={q} onChange={(key) => change({ key })} />
          <ListCommands
            list="values"
            flow={flow}
            filters={{ key: asked, only_set: search.defaults === true ? undefined : "true" }}
          />
          <Link
            to="/configuration"
            search={({ from, to }) => ({ from, to, at: `flow:${address}` })}
            className="property-link"
          >
            Edit the properties
          </Link>
        </>
      }
    >
      <div className="config-checks">
        <Check
          label="Include keys at their default"
          isChecked={search.defaults === true}
          onChange={(isChecked) => change({ defaults: isChecked || undefined })}
        />
      </div>
      <PagedTable
        isStacked
        what="values in force"
        answer={answer}
        columns={COLUMNS}
        rowId={(row) => `${row.client} ${row.name}`}
        sort={sort}
        onSort={setSort}
        empty={
          asked === "" ? (
            <EmptyState icon={IconAdjustmentsHorizontal} title="No property sets a key of this flow">
              Every key has its default.
            </EmptyState>
          ) : (
            <NoMatch title="No key matches the filter" onClear={() => change({ key: undefined })} />
          )
        }
      >
        {(row) => <EffectiveRows key={`${row.client} ${row.name}`} row={row} />}
      </PagedTable>
    </Card>
  );
}

function EffectiveRows({ row }: { row: EffectiveValue }) {
  const [isOpen, setOpen] = useState(false);
  const property = { effect: row.effect, note: row.why };
  return (
    <>
      <tr>
        <td className="muted">{row.client}</td>
        <th scope="row">
          <button type="button" className="expander" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <IconChevronRight size={16} aria-hidden />
            <code>
              <NameText name={row.name} />
            </code>
          </button>
        </th>
        <td className="config-value-cell">
          {row.value === null ? <span className="muted">not set</span> : <Shown value={row.value} />}
        </td>
        <td>
          <span className="level-chip" data-level={row.level}>
            {row.level}
          </span>{" "}
          {row.beaten.length > 0 && (
            <span className="muted nowrap">wins over {plural(row.beaten.length, "value")}</span>
          )}
        </td>
        <td>
          <EffectBadge property={property} isWorking />
        </td>
      </tr>
      {isOpen && (
        <tr className="detail-row">
          <td colSpan={COLUMNS.length}>
            <Chain value={row} />
          </td>
        </tr>
      )}
    </>
  );
}
