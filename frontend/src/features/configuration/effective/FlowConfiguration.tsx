import "@/components/form/form.css";
import "@/features/configuration/configuration.css";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import type { EffectiveOrdering, EffectiveValue } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Check } from "@/components/form/Check";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { Expander } from "@/components/table/opened/Expander";
import { type OpenRows, useOpenRows } from "@/components/table/opened/useOpenRows";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { useTableView } from "@/components/table/useTableView";
import { Chain } from "@/features/configuration/effective/Chain";
import { EffectBadge } from "@/features/configuration/properties/EffectBadge";
import { Shown } from "@/features/configuration/properties/PropertyTable";
import { effectiveQuery } from "@/features/configuration/requests";
import { RevisionChips } from "@/features/configuration/rollout/RevisionChips";
import { plural } from "@/lib/format";

const TYPING_MS = 250;

const valueId = ({ client, name }: EffectiveValue) => `${client} ${name}`;

const columnsWith = (opened: OpenRows): readonly OrderedColumn<EffectiveValue, EffectiveOrdering>[] => [
  {
    id: "client",
    label: "Client",
    hint: "The client of the flow that uses the key",
    value: ({ client }) => client,
    cell: ({ client }) => client,
    cellClass: "muted",
    ordering: "client",
  },
  {
    id: "name",
    label: "Key",
    value: ({ name }) => name,
    cell: (row) => (
      <Expander
        isOpen={opened.isOpen(valueId(row))}
        onToggle={() => opened.toggle(valueId(row))}
        controls={opened.detailsId(valueId(row))}
      >
        <code>
          <NameText name={row.name} />
        </code>
      </Expander>
    ),
    isName: true,
    ordering: "name",
  },
  {
    id: "value",
    label: "Value in force",
    value: ({ value }) => value,
    cell: ({ value }) => (value === null ? <span className="muted">not set</span> : <Shown value={value} />),
    cellClass: "config-value-cell",
    ordering: "value",
  },
  {
    id: "level",
    label: "Level",
    hint: "The level whose value wins",
    value: ({ level }) => level,
    cell: ({ level, beaten }) => (
      <>
        <span className="level-chip" data-level={level}>
          {level}
        </span>{" "}
        {beaten.length > 0 && (
          <span className="muted nowrap">wins over {plural(beaten.length, "value")}</span>
        )}
      </>
    ),
    ordering: "level",
  },
  {
    id: "effect",
    label: "Effect",
    hint: "Whether the flow uses the value",
    value: ({ effect }) => effect,
    cell: ({ effect, why }) => <EffectBadge property={{ effect, note: why }} isWorking />,
    ordering: "effect",
  },
];

/** The values in force of one flow, each with the level that wins and the values that lost. */
export default function FlowConfiguration(flow: FlowAddress) {
  const search = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const opened = useOpenRows("values");
  const view = useTableView("values in force", columnsWith(opened), "client", "values");
  const q = search.key ?? "";
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const answer = useInfiniteQuery(
    effectiveQuery(flow, {
      key: asked,
      only_set: search.defaults !== true,
      ordering: orderingOf(view.all, view.sort),
    }),
  );
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
          <ColumnTools view={view} />
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
        view={view}
        answer={answer}
        ordered={orderedIds(view.all)}
        rowId={valueId}
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
        {(row, cells) => (
          <>
            <tr>{cells}</tr>
            {opened.isOpen(valueId(row)) && (
              <tr className="detail-row" id={opened.detailsId(valueId(row))}>
                <td colSpan={view.columns.length}>
                  <Chain value={row} />
                </td>
              </tr>
            )}
          </>
        )}
      </PagedTable>
    </Card>
  );
}
