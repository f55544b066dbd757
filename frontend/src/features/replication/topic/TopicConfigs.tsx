import { Button, Switch } from "@mantine/core";
import { IconCheck, IconListSearch } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import { driftKey, driftQuery, setConfigsAgain, type TopicAddress } from "@/api/topic";
import type { DriftedConfig } from "@/api/types";
import { StaleNote } from "@/components/answer/Answered";
import { RefreshButton } from "@/components/answer/RefreshButton";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useAddressState } from "@/components/table/useAddressState";
import { useTableView } from "@/components/table/useTableView";
import { lazyPart } from "@/lib/view/lazy-part";

const SetAgainDialog = lazyPart(() => import("@/features/replication/topic/SetAgainDialog"));

/** The configs of the topic on both sides, those that differ or all, and the order to set those again that the flow sets. */
export function TopicConfigs(address: TopicAddress) {
  const mayAct = useMay("flows.act");
  const [shown, setShown] = useAddressState("configs", "drift");
  const isAll = shown === "all";
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery(driftQuery(address, isAll));
  const items = data?.items ?? [];
  return (
    <Card
      title="Configs"
      note={isAll ? "of source and target" : "that differ between source and target"}
      tools={
        <>
          <Switch
            size="xs"
            label="All configs"
            checked={isAll}
            onChange={(event) => setShown(event.currentTarget.checked ? "all" : "drift")}
          />
          <RefreshButton label="Compare again" isReading={isFetching} onRefresh={() => void refetch()} />
          <ListCommands
            list="configs"
            flow={address}
            filters={{ topic: address.topic, with_equal: isAll ? "true" : undefined }}
          />
        </>
      }
    >
      {data === undefined && error === null && (
        <LoadingRows rows={2} label="Comparing the configs of both sides" />
      )}
      {data === undefined && error !== null && (
        <ErrorState what="The configs of both sides" error={error} onRetry={() => void refetch()} />
      )}
      <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} />
      {data?.unread.map((unread) => (
        <div key={unread} className="reason-banner" data-tone="warn">
          <p>Not read: {unread}</p>
        </div>
      ))}
      {data !== undefined && items.length === 0 && data.unread.length === 0 && (
        <NoDifference isCompared={(data.counts.compared ?? 0) > 0} at_ms={dataUpdatedAt} flow={address} />
      )}
      {items.length > 0 && <ConfigsTable address={address} items={items} mayAct={mayAct} />}
    </Card>
  );
}

interface NoDifferenceProps {
  /** false: the plan of the flow does not have the topic */
  isCompared: boolean;
  at_ms: number;
  flow: FlowAddress;
}

function NoDifference({ isCompared, at_ms, flow: { source, target } }: NoDifferenceProps) {
  if (isCompared) {
    return (
      <EmptyState icon={IconCheck} title="The configs of both sides are the same">
        Compared at both clusters at <Timestamp time_ms={at_ms} />.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconListSearch} title="The configs were not compared">
      Only topics that the flow from {source} to {target} copies now are compared.
    </EmptyState>
  );
}

/** The value can be the same and still not be the topic's own: the default of the target's brokers is no copy of it. */
function setByFlow(
  { is_synced, is_drift, source_value, target_value }: DriftedConfig,
  target: string,
): string {
  if (!is_drift) return source_value === target_value ? "Same" : "Defaults of the brokers";
  if (!is_synced) return "No";
  return source_value === target_value
    ? `Yes: not set on the topic; same as the default of ${target}`
    : "Yes: drift";
}

/** `again`: the button that sets a config again, if the person may do so. */
const columnsOf = (
  { source, target }: FlowAddress,
  again: ((item: DriftedConfig) => ReactNode) | null,
): readonly CellColumn<DriftedConfig>[] => [
  { id: "key", label: "Config", value: ({ key }) => key, cell: ({ key }) => key },
  {
    id: "source",
    label: `On ${source}`,
    value: ({ source_value }) => source_value,
    cell: ({ source_value }) => source_value ?? <Unknown why="not set" />,
  },
  {
    id: "target",
    label: `On ${target}`,
    value: ({ target_value }) => target_value,
    cell: ({ target_value }) => target_value ?? <Unknown why="not set" />,
  },
  {
    id: "set",
    label: "Set by the flow",
    value: (item) => setByFlow(item, target),
    cell: (item) => (
      <span className={item.is_drift ? undefined : "muted"}>
        {setByFlow(item, target)}
        {item.reason !== null && (
          <span className="reason">
            <NameText name={item.reason} />
          </span>
        )}
      </span>
    ),
  },
  ...(again === null
    ? []
    : [
        {
          id: "order",
          label: "Order",
          value: ({ key }: DriftedConfig) => key,
          cell: again,
          isFixed: true,
          isAlways: true,
        },
      ]),
];

interface ConfigsTableProps {
  address: TopicAddress;
  items: readonly DriftedConfig[];
  mayAct: boolean;
}

function ConfigsTable({ address, items, mayAct }: ConfigsTableProps) {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<readonly DriftedConfig[]>([]);
  const order = useMutation({
    mutationFn: (keys: string[]) => setConfigsAgain(address, keys),
    onSettled: () => queries.invalidateQueries({ queryKey: driftKey(address) }),
  });
  const synced = items.filter(({ is_synced }) => is_synced);
  const again = (item: DriftedConfig) =>
    item.is_synced && (
      <Button
        size="compact-xs"
        variant="default"
        disabled={order.isPending}
        aria-label={`Set again: ${item.key}`}
        onClick={() => setAsked([item])}
      >
        Set again
      </Button>
    );
  const view = useTableView("configs", columnsOf(address, mayAct ? again : null), "key", "topic_configs");
  return (
    <>
      <SmallTable label="Table of configs" view={view} rows={items} rowId={({ key }) => key} />
      {((mayAct && synced.length > 1) || order.isSuccess) && (
        <div className="table-more">
          {mayAct && synced.length > 1 && (
            <Button size="xs" variant="default" loading={order.isPending} onClick={() => setAsked(synced)}>
              Set all {synced.length} again
            </Button>
          )}
          {order.data?.items.map(({ topic, text }) => (
            <p key={topic} role="status">
              {text}
            </p>
          ))}
        </div>
      )}
      {asked.length > 0 && (
        <Suspense fallback={null}>
          <SetAgainDialog address={address} items={asked} order={order} onClose={() => setAsked([])} />
        </Suspense>
      )}
    </>
  );
}
