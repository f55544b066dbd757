/** Drains of drivers: their progress and the orders. */
import { queryOptions } from "@tanstack/react-query";
import { api, csrfToken, unwrap } from "@/api/client";

const PROGRESS_MS = 1_000;

/** The drain of a driver with its reason, and the tasks that its processes still run. */
export function drainQuery(driver_id: string) {
  return queryOptions({
    queryKey: ["drain", driver_id],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v2/drivers/{driver_id}/drain", { params: { path: { driver_id } }, signal })),
    refetchInterval: PROGRESS_MS,
  });
}

const headers = () => ({ "X-CSRFToken": csrfToken() });

export function drainDriver(driver_id: string, reason: string) {
  return unwrap(
    api.POST("/api/v2/drivers/{driver_id}/drain", {
      params: { path: { driver_id } },
      body: { reason, expires_ms: null },
      headers: headers(),
    }),
  );
}

export function undrainDriver(driver_id: string) {
  return unwrap(
    api.POST("/api/v2/drivers/{driver_id}/undrain", {
      params: { path: { driver_id } },
      body: { reason: "" },
      headers: headers(),
    }),
  );
}
