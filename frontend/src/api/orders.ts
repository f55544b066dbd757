/** Orders for a running flow, which require the operator role, and their progress. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, csrfToken, cursorOf, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type {
  Action,
  ActionOrdering,
  BulkRequest,
  BulkResult,
  OrderBody,
  OrderDryRun,
  OrderOutcome,
  ResetList,
  ResetOrder,
} from "@/api/types";

const PROGRESS_MS = 1_000;
const ORDERS_MS = 5_000;

const headers = () => ({ "X-CSRFToken": csrfToken() });

/** Gives an order to a flow, a topic or a partition. A dry run only reports what would change. */
export function giveOrder(flow: FlowAddress, order: OrderBody, dry_run: boolean) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/actions", {
      params: { path: { ...flow } },
      body: { ...order, dry_run },
      headers: headers(),
    }),
  );
}

/** The orders of a month, newest first without an order; read again sooner while one of them waits. */
export function ordersQuery(
  { source, target }: FlowAddress,
  topic: string,
  outcome: OrderOutcome | undefined,
  ordering: ActionOrdering | undefined,
) {
  return infiniteQueryOptions({
    queryKey: ["actions", source, target, topic, outcome, ordering],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        topic,
        ...(outcome === undefined ? {} : { outcome }),
        ...(ordering === undefined ? {} : { ordering }),
        ...cursorOf(pageParam),
      };
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/actions", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.items.some((order) => isOpen(order.state)))
        ? PROGRESS_MS
        : ORDERS_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

function isOpen(state: Action["state"] | undefined): boolean {
  return state === undefined || state === "ordered" || state === "published";
}

/** The progress of an ordered change, read each second until every task has applied it. */
export function actionQuery({ source, target }: FlowAddress, action_id: number) {
  return queryOptions({
    queryKey: ["action", source, target, action_id],
    queryFn: ({ signal }) => {
      const params = { path: { source, target, action_id } };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/actions/{action_id}", { params, signal }),
      );
    },
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? PROGRESS_MS : false),
    refetchIntervalInBackground: true,
  });
}

function postReset(flow: FlowAddress, body: ResetOrder) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/resets", {
      params: { path: { ...flow } },
      body,
      headers: headers(),
    }),
  );
}

type ResetWanted = Omit<ResetOrder, "dry_run">;

// The service answers an order with its resets, and a dry run with its effect.
export function requestReset(flow: FlowAddress, wanted: ResetWanted): Promise<ResetList> {
  return postReset(flow, { ...wanted, dry_run: false }) as Promise<ResetList>;
}

export function rehearseReset(flow: FlowAddress, wanted: ResetWanted): Promise<OrderDryRun> {
  return postReset(flow, { ...wanted, dry_run: true }) as Promise<OrderDryRun>;
}

export function withdrawReset(flow: FlowAddress, reset_id: string, reason: string) {
  return unwrap(
    api.DELETE("/api/v2/replications/{source}/{target}/resets/{reset_id}", {
      params: { path: { ...flow, reset_id }, query: { reason } },
      headers: headers(),
    }),
  );
}

/** One action on many flows: each has a result; one that is refused stops no other. A dry run changes nothing. */
export function actOnFlows(body: BulkRequest): Promise<BulkResult> {
  return unwrap(api.POST("/api/v2/replications/actions", { body, headers: headers() }));
}
