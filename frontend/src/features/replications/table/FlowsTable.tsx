import "@/features/replications/table/table.css";
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowsLeftRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, Suspense, useCallback, useMemo, useState } from "react";
import { useMay, usePreferences } from "@/api/personal";
import { DataTable } from "@/components/DataTable";
import { NoMatch } from "@/components/ListFilter";
import { EmptyState } from "@/components/states";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { type Choice, ChooseAll, useChoice } from "@/features/orders/many/choice";
import {
  byThroughput,
  type FlowColumn,
  headedColumns,
  type TableFlow,
} from "@/features/replications/table/columns";
import { FlowTableRow } from "@/features/replications/table/FlowTableRow";
import { RowMenuButton } from "@/features/replications/table/RowMenuButton";
import type { ChangeView, TableView } from "@/features/replications/table/search";
import { lazyPart } from "@/lib/view/lazy-part";
import { NARROW } from "@/lib/view/screen";
import type { FlowRow } from "@/live/flow-row";

const FlowList = lazyPart(
  () => import("@/features/replications/table/FlowList"),
  ({ FlowList }) => FlowList,
);
const ManyFlows = lazyPart(() => import("@/features/replications/many/ManyFlows"));

interface FlowsTableProps {
  rows: readonly TableFlow[];
  /** those of them that match the filter */
  matching: readonly TableFlow[];
  view: TableView;
  change: ChangeView;
}

/** The most rows to render, since all of them update every second. */
const PAGE_ROWS = 50;

/** The flows that match the filter, as a table or, on phones, as cards. */
export function FlowsTable({ rows, matching, view, change }: FlowsTableProps) {
  const [limit, setLimit] = useState(PAGE_ROWS);
  const isNarrow = useMediaQuery(NARROW);
  const choice = useChoice();
  const mayAct = useMay("flows.act");
  const [preferences] = usePreferences();
  const [dialog, order] = useOrderDialog();
  const menu = useCallback((flowKey: string) => <RowMenuButton flowKey={flowKey} onOrder={order} />, [order]);
  const shown = useMemo(() => byThroughput(matching), [matching]);
  if (rows.length === 0) return <NoFlows />;
  if (shown.length === 0) {
    return (
      <>
        {dialog}
        <NoMatch title="No flow matches the filter" onClear={() => change({ q: "", status: "" })} />
      </>
    );
  }
  const pins = preferences.pinned_flows;
  const table = { shown, sort: view.sort, onSort: (sort: string) => change({ sort }), limit, pins, menu };
  return (
    <>
      {dialog}
      <ChosenFlows rows={rows} shown={shown} choice={choice} />
      {isNarrow ? (
        <Suspense fallback={null}>
          <FlowList {...table} choice={mayAct ? choice : null} />
        </Suspense>
      ) : (
        <WideTable {...table} chosenColumns={view.columns} choice={mayAct ? choice : null} />
      )}
      {shown.length > limit && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setLimit(limit + PAGE_ROWS)}>
            Show {Math.min(PAGE_ROWS, shown.length - limit)} more of {shown.length}
          </Button>
        </div>
      )}
    </>
  );
}

interface ChosenFlowsProps {
  rows: readonly TableFlow[];
  /** those of them that match the filter */
  shown: readonly TableFlow[];
  choice: Choice;
}

/** The form of one action on the chosen flows; those that the filter hides stay chosen. */
function ChosenFlows({ rows, shown, choice }: ChosenFlowsProps) {
  if (choice.chosen.size === 0) return null;
  const flows = chosenFlows(rows, choice);
  const hidden = flows.length - chosenFlows(shown, choice).length;
  return (
    <Suspense fallback={null}>
      <ManyFlows flows={flows} hidden={hidden} onClear={choice.clear} />
    </Suspense>
  );
}

function chosenFlows(rows: readonly TableFlow[], { chosen }: Choice): FlowRow[] {
  return rows.map(({ flow }) => flow).filter(({ key }) => chosen.has(key));
}

interface WideTableProps {
  shown: readonly TableFlow[];
  sort: string;
  onSort: (sort: string) => void;
  limit: number;
  pins: readonly string[];
  menu: (flowKey: string) => ReactNode;
  chosenColumns: string | undefined;
  choice: Choice | null;
}

function WideTable({ shown, sort, onSort, limit, pins, menu, chosenColumns, choice }: WideTableProps) {
  const isPast = useTimeRange().to_ms !== null;
  const statistic = shown[0]?.statistic ?? "now";
  const columns = useMemo(() => headedColumns(chosenColumns, statistic), [chosenColumns, statistic]);
  const headings = useMemo(() => columns.map((column) => headingIn(column, isPast)), [columns, isPast]);
  return (
    <DataTable
      label="Table of replication flows"
      className="flow-table"
      columns={headings}
      rows={shown}
      rowId={({ flow }) => flow.key}
      sort={sort}
      onSort={onSort}
      limit={limit}
      isFirst={({ flow }) => pins.includes(flow.key)}
      before={choice !== null && <ChooseAll keys={shown.map(({ flow }) => flow.key)} choice={choice} />}
      after={<td aria-hidden />}
    >
      {({ flow, facts, statistic }) => (
        <FlowTableRow
          key={flow.key}
          flowKey={flow.key}
          facts={facts}
          statistic={statistic}
          columns={columns}
          isPinned={pins.includes(flow.key)}
          isChosen={choice?.chosen.has(flow.key) ?? null}
          onChoose={choice?.choose ?? ignore}
          menu={menu}
        />
      )}
    </DataTable>
  );
}

function ignore(): void {}

/** A range in the past says, in a second line, of each column whether its values are of this moment. */
function headingIn(column: FlowColumn, isPast: boolean): FlowColumn {
  return isPast && column.isOfNow ? { ...column, label: `${column.label}\nnow` } : column;
}

function NoFlows() {
  return (
    <EmptyState icon={IconArrowsLeftRight} title="No replication flow is defined yet">
      A flow copies topics from one cluster to another. <Link to="/replications/new">Create one</Link>, or{" "}
      <Link to="/configuration/transfer">import a properties file</Link>.
    </EmptyState>
  );
}
