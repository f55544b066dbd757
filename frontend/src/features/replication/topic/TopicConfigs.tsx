import { Button, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import { meQuery } from "@/api/queries";
import { driftQuery, setConfigsAgain, type TopicAddress } from "@/api/topic";
import type { DriftedConfig } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { stackedLabels } from "@/components/table/stacked";

/** The configs of the topic on both sides that differ, and the order to set those again that the flow sets. */
export function TopicConfigs(address: TopicAddress) {
  const me = useQuery(meQuery);
  const mayAct = me.data?.permissions.includes("flows.act") ?? false;
  const { data, error, refetch, isFetching } = useQuery({ ...driftQuery(address), enabled: mayAct });
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
      {data?.unread.map((unread) => (
        <div key={unread} className="reason-banner" data-tone="warn">
          <p>Not read: {unread}</p>
        </div>
      ))}
      {data?.items.length === 0 && data.unread.length === 0 && (
        <EmptyState icon={IconCheck} title="The configs of both sides are the same">
          Compared just now at both clusters.
        </EmptyState>
      )}
      {data !== undefined && data.items.length > 0 && <Differences address={address} items={data.items} />}
    </Card>
  );
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
                <VisuallyHidden>Order</VisuallyHidden>
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
                  {item.is_synced ? "Yes: drift" : "No"}
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
