import { Button, Select, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowsLeftRight, IconFilterOff, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { flowsQuery } from "@/api/queries";
import { Card } from "@/components/Card";
import { DataTable } from "@/components/DataTable";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { byThroughput, DEFAULT_SORT, FLOW_COLUMNS, matchesFilter } from "@/features/replications/columns";
import { FlowList } from "@/features/replications/FlowList";
import { FlowTableRow } from "@/features/replications/FlowTableRow";
import { NARROW } from "@/lib/screen";
import { countByStatus, statusWord } from "@/lib/status";
import { useSettledFlows } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

interface Filter {
  q: string;
  status: string;
  sort: string;
}

function useFilter(): [Filter, (change: Partial<Filter>) => void] {
  const search = useSearch({ from: "/replications" });
  const navigate = useNavigate();
  const filter = { q: search.q ?? "", status: search.status ?? "", sort: search.sort ?? DEFAULT_SORT };
  const change = (wanted: Partial<Filter>): void => {
    const next = { ...filter, ...wanted };
    const query = {
      q: next.q || undefined,
      status: next.status || undefined,
      sort: next.sort === DEFAULT_SORT ? undefined : next.sort,
    };
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  };
  return [filter, change];
}

export function FlowsCard() {
  const flows = useSettledFlows();
  const [filter, change] = useFilter();
  const statuses = countByStatus((flows ?? []).map((flow) => flow.status)).map(({ status }) => status);
  if (filter.status !== "" && !statuses.includes(filter.status)) statuses.push(filter.status);
  return (
    <Card
      title="Replication flows"
      note={flows?.length}
      tools={
        <>
          <TextInput
            className="filter"
            aria-label="Filter by cluster"
            placeholder="Filter by cluster"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={filter.q}
            onChange={(event) => change({ q: event.currentTarget.value })}
          />
          <Select
            className="filter-status"
            aria-label="Status"
            placeholder="Any status"
            clearable
            clearButtonProps={{ "aria-label": "Any status" }}
            data={statuses.map((status) => ({ value: status, label: statusWord(status) }))}
            value={filter.status || null}
            onChange={(status) => change({ status: status ?? "" })}
          />
        </>
      }
    >
      {flows === null ? <Waiting /> : <FlowsTable flows={flows} filter={filter} change={change} />}
    </Card>
  );
}

/** The state before the first flows have arrived, live or over REST. */
function Waiting() {
  const { error, status, refetch } = useQuery(flowsQuery);
  if (status !== "error") return <LoadingRows rows={4} label="Loading the flows" />;
  return <ErrorState what="The replication flows" error={error} onRetry={() => void refetch()} />;
}

interface FlowsTableProps {
  flows: readonly FlowRow[];
  filter: Filter;
  change: (change: Partial<Filter>) => void;
}

/** The most rows to render, since all of them update every second. */
const PAGE_ROWS = 50;

function FlowsTable({ flows, filter, change }: FlowsTableProps) {
  const [limit, setLimit] = useState(PAGE_ROWS);
  const isNarrow = useMediaQuery(NARROW);
  if (flows.length === 0) return <NoFlows />;
  const shown = byThroughput(flows).filter((flow) => matchesFilter(flow, filter.q, filter.status));
  if (shown.length === 0)
    return <AllHidden count={flows.length} onClear={() => change({ q: "", status: "" })} />;
  return (
    <>
      {isNarrow ? (
        <FlowList flows={shown} sort={filter.sort} onSort={(sort) => change({ sort })} limit={limit} />
      ) : (
        <DataTable
          label="Table of replication flows"
          columns={FLOW_COLUMNS}
          rows={shown}
          rowId={(flow) => flow.key}
          sort={filter.sort}
          onSort={(sort) => change({ sort })}
          limit={limit}
        >
          {(flow) => <FlowTableRow key={flow.key} flowKey={flow.key} />}
        </DataTable>
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

function NoFlows() {
  return (
    <EmptyState icon={IconArrowsLeftRight} title="No replication flow is defined yet">
      A flow copies topics from one cluster to another. Define one in the properties file, as in{" "}
      <code>us-east-&gt;eu-central.enabled = true</code>, and start the service with that file.
    </EmptyState>
  );
}

function AllHidden({ count, onClear }: { count: number; onClear: () => void }) {
  const clear = (
    <Button size="xs" variant="default" onClick={onClear}>
      Clear the filter
    </Button>
  );
  return (
    <EmptyState icon={IconFilterOff} title="No flow matches the filter" action={clear}>
      {count} {count === 1 ? "flow is" : "flows are"} hidden by it.
    </EmptyState>
  );
}
