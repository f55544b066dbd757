import { Select, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { Suspense, useDeferredValue, useMemo } from "react";
import { Card } from "@/components/Card";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { StatisticChoice } from "@/components/table/columns/StatisticChoice";
import { statisticIn } from "@/components/table/columns/statistic";
import { FlowsWaiting } from "@/features/replications/FlowsWaiting";
import { matchesFilter, type TableFlow } from "@/features/replications/table/columns";
import { FlowsTable } from "@/features/replications/table/FlowsTable";
import { useFlowFacts } from "@/features/replications/table/facts";
import { type ChangeView, type TableView, useTableView } from "@/features/replications/table/search";
import { useAsOf } from "@/features/replications/useAsOf";
import { formatCount } from "@/lib/format";
import { countByStatus, statusWord } from "@/lib/status";
import { lazyPart } from "@/lib/view/lazy-part";
import { useSettledFlows } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

const TableTools = lazyPart(() => import("@/features/replications/table/TableTools"));

export function FlowsCard() {
  const flows = useSettledFlows();
  const facts = useDeferredValue(useFlowFacts());
  const asOf = useAsOf();
  const range = useTimeRange();
  const [view, change] = useTableView();
  const statistic = statisticIn(view.stat, range);
  const rows = useMemo(
    () => flows?.map((flow): TableFlow => ({ flow, facts: facts?.get(flow.key), statistic })) ?? null,
    [flows, facts, statistic],
  );
  const matching = useMemo(
    () => rows?.filter((row) => matchesFilter(row, view.q, view.status)) ?? [],
    [rows, view.q, view.status],
  );
  return (
    <Card
      title="Replication flows"
      note={asOf ?? (rows !== null && countText(matching.length, rows.length))}
      tools={
        <>
          <Filters flows={flows ?? []} view={view} change={change} />
          <StatisticChoice value={statistic} onChange={(stat) => change({ stat })} />
          <Suspense fallback={null}>
            <TableTools rows={matching} view={view} change={change} />
          </Suspense>
        </>
      }
    >
      {rows === null ? (
        <FlowsWaiting what="The flows" rows={4} />
      ) : (
        <FlowsTable rows={rows} matching={matching} view={view} change={change} />
      )}
    </Card>
  );
}

/** `6`, or `1 of 6` while a filter hides some. */
function countText(shown: number, all: number): string {
  return shown === all ? formatCount(all) : `${formatCount(shown)} of ${formatCount(all)}`;
}

interface FiltersProps {
  flows: readonly FlowRow[];
  view: TableView;
  change: ChangeView;
}

function Filters({ flows, view, change }: FiltersProps) {
  const statuses = countByStatus(flows.map((flow) => flow.status)).map(({ status }) => status);
  if (view.status !== "" && !statuses.includes(view.status)) statuses.push(view.status);
  return (
    <>
      <TextInput
        className="filter"
        aria-label="Filter by cluster, label or owner"
        placeholder="Cluster, label or owner"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={view.q}
        onChange={(event) => change({ q: event.currentTarget.value })}
      />
      <Select
        className="filter-status"
        aria-label="Status"
        placeholder="Any status"
        clearable
        clearButtonProps={{ "aria-label": "Any status" }}
        data={statuses.map((status) => ({ value: status, label: statusWord(status) }))}
        value={view.status || null}
        onChange={(status) => change({ status: status ?? "" })}
      />
    </>
  );
}
