import { Button } from "@mantine/core";
import { IconCheck, IconListSearch, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import { type FlowAddress, meQuery } from "@/api/queries";
import { driftQuery, setConfigsAgain, type TopicAddress } from "@/api/topic";
import type { DriftedConfig } from "@/api/types";
import { StaleNote } from "@/components/answer/Answered";
import { sameConfigsAgain } from "@/components/by-hand/actions";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { ByHandNote } from "@/components/form/ByHandNote";
import { NameText } from "@/components/NameText";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { stackedLabels } from "@/components/table/stacked";

/** The configs of the topic on both sides that differ, and the order to set those again that the flow sets. */
export function TopicConfigs(address: TopicAddress) {
  const me = useQuery(meQuery);
  const mayAct = me.data?.permissions.includes("flows.act") ?? false;
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery({
    ...driftQuery(address),
    enabled: mayAct,
  });
  if (me.data !== undefined && !mayAct) return null;
  const again = (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={isFetching}
      onClick={() => void refetch()}
    >
      Compare again
    </Button>
  );
  return (
    <Card
      title="Configs"
      note="that differ between source and target"
      tools={
        <>
          {again}
          <ListCommands list="configs" flow={address} filters={{ topic: address.topic }} />
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
      {data !== undefined && data.items.length === 0 && data.unread.length === 0 && (
        <NoDifference isCompared={(data.counts.compared ?? 0) > 0} at_ms={dataUpdatedAt} flow={address} />
      )}
      {data !== undefined && data.items.length > 0 && <Differences address={address} items={data.items} />}
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
function setByFlow({ is_synced, source_value, target_value }: DriftedConfig, target: string): string {
  if (!is_synced) return "No";
  return source_value === target_value
    ? `Yes: not set on the topic; same as the default of ${target}`
    : "Yes: drift";
}

function Differences({ address, items }: { address: TopicAddress; items: readonly DriftedConfig[] }) {
  const queries = useQueryClient();
  const order = useMutation({
    mutationFn: (keys: string[]) => setConfigsAgain(address, keys),
    onSettled: () => queries.invalidateQueries({ queryKey: driftQuery(address).queryKey }),
  });
  const labels = stackedLabels([
    "Config",
    `On ${address.source}`,
    `On ${address.target}`,
    "Set by the flow",
    "Order",
  ]);
  const synced = items.filter(({ is_synced }) => is_synced).map(({ key }) => key);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" aria-label="Table of configs that differ" tabIndex={0} style={labels}>
        <table className="table stacked">
          <thead>
            <tr>
              <th scope="col">Config</th>
              <th scope="col">On {address.source}</th>
              <th scope="col">On {address.target}</th>
              <th scope="col">Set by the flow</th>
              <th scope="col">
                <span className="visually-hidden">Order</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.key}>
                <th scope="row">{item.key}</th>
                <td>{item.source_value ?? <Unknown why="not set" />}</td>
                <td>{item.target_value ?? <Unknown why="not set" />}</td>
                <td>
                  {setByFlow(item, address.target)}
                  {item.reason !== null && (
                    <span className="reason">
                      <NameText name={item.reason} />
                    </span>
                  )}
                </td>
                <td className={item.is_synced ? undefined : "stacked-none"}>
                  {item.is_synced && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      disabled={order.isPending}
                      aria-label={`Set again: ${item.key}`}
                      onClick={() => order.mutate([item.key])}
                    >
                      Set again
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {synced.length > 0 && (
        <div className="card-body">
          <ByHandNote same={sameConfigsAgain(address, address.topic, synced)} />
        </div>
      )}
      {(synced.length > 1 || order.isSuccess || order.isError) && (
        <div className="table-more">
          {synced.length > 1 && (
            <Button
              size="xs"
              variant="default"
              loading={order.isPending}
              onClick={() => order.mutate(synced)}
            >
              Set all {synced.length} again
            </Button>
          )}
          {order.data?.items.map(({ topic, text }) => (
            <p key={topic} role="status">
              {text}
            </p>
          ))}
          {order.error !== null && <p role="alert">{reasonOf(order.error)}</p>}
        </div>
      )}
    </>
  );
}
