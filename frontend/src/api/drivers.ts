/** Queries of what drivers run and which have left; their drains and restarts. */
import { queryOptions } from "@tanstack/react-query";
import { api, csrfToken, unwrap, wholeOf } from "@/api/client";
import type { FlowAddress } from "@/api/queries";

const REFRESH_MS = 5_000;
const PROGRESS_MS = 1_000;
const MOST_TASKS = 1_000;

const headers = () => ({ "X-CSRFToken": csrfToken() });

/** The tasks of all flows, page after page. */
export const tasksQuery = queryOptions({
  queryKey: ["tasks"],
  queryFn: async ({ signal }) => {
    const { items } = await wholeOf((from) => {
      const query = { limit: MOST_TASKS, ...from };
      return unwrap(api.GET("/api/v2/tasks", { params: { query }, signal }));
    });
    return items;
  },
  refetchInterval: REFRESH_MS,
});

/** The tasks that still report of a flow that is deleted, counted each second until none does. */
export function tasksLeftQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["tasks-left", source, target],
    queryFn: async ({ signal }) => {
      const query = { source, target, limit: MOST_TASKS };
      return (await unwrap(api.GET("/api/v2/tasks", { params: { query }, signal }))).items.length;
    },
    refetchInterval: ({ state }) => (state.data === 0 ? false : PROGRESS_MS),
  });
}

/** Processes that reported in the last days and no longer report, page after page. */
export const goneDriversQuery = queryOptions({
  queryKey: ["drivers", "gone"],
  queryFn: ({ signal }) =>
    wholeOf((from) => {
      const query = { ordering: "-last_seen_ms" as const, ...from };
      return unwrap(api.GET("/api/v2/drivers/gone", { params: { query }, signal }));
    }),
  refetchInterval: 2 * REFRESH_MS,
});

/** Restarts the processes of a driver; its tasks wait for it. */
export function restartDriver(driver_id: string, reason: string, grace_ms: number) {
  return unwrap(
    api.POST("/api/v2/drivers/{driver_id}/restart", {
      params: { path: { driver_id } },
      body: { reason, grace_ms },
      headers: headers(),
    }),
  );
}

/** The drain of a driver with its reason, and the tasks that its processes still run. */
export function drainQuery(driver_id: string) {
  return queryOptions({
    queryKey: ["drain", driver_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v2/drivers/{driver_id}/drain", { params: { path: { driver_id } }, signal })),
    refetchInterval: PROGRESS_MS,
  });
}

/** `expires_ms`: when the drain ends by itself; null: by hand. */
export function drainDriver(driver_id: string, reason: string, expires_ms: number | null) {
  return unwrap(
    api.POST("/api/v2/drivers/{driver_id}/drain", {
      params: { path: { driver_id } },
      body: { reason, expires_ms },
      headers: headers(),
    }),
  );
}

export function undrainDriver(driver_id: string, reason: string) {
  return unwrap(
    api.POST("/api/v2/drivers/{driver_id}/undrain", {
      params: { path: { driver_id } },
      body: { reason },
      headers: headers(),
    }),
  );
}
