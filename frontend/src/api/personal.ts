/** What a person may do, and what the service keeps for them: pinned flows, columns of tables, saved views. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, changing, unwrap, unwrapDone } from "@/api/client";
import { meQuery } from "@/api/queries";
import type { Preferences, SavedView } from "@/api/types";

const NONE: Preferences = { pinned_flows: [], columns: [] };
export const VIEWS_PAGE = "overview";

export type Permission = "flows.act" | "flows.change" | "clusters.change" | "drivers.act";

/** True if the person may do this; `whileUnknown` until the service has said who it is. */
export function useMay(permission: Permission, whileUnknown = false): boolean {
  const { data } = useQuery(meQuery);
  return data?.permissions.includes(permission) ?? whileUnknown;
}

export const preferencesQuery = queryOptions({
  queryKey: ["me", "preferences"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/v2/me/preferences", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** What the person prefers, and a function that changes it: shown at once, then stored. */
export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const queries = useQueryClient();
  const { data } = useQuery(preferencesQuery);
  const { queryKey } = preferencesQuery;
  const order = useMutation({
    mutationFn: (body: Preferences) =>
      unwrap(api.PUT("/api/v2/me/preferences", { body, headers: changing() })),
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  const change = (wanted: Partial<Preferences>): void => {
    const body = { ...NONE, ...queries.getQueryData(queryKey), ...wanted };
    queries.setQueryData(queryKey, body);
    order.mutate(body);
  };
  return [data ?? NONE, change];
}

export const viewsQuery = queryOptions({
  queryKey: ["me", "views"],
  queryFn: async ({ signal }) => {
    const { items } = await unwrap(
      api.GET("/api/v2/me/views", { params: { query: { page: VIEWS_PAGE } }, signal }),
    );
    return items;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export function saveView(view: Pick<SavedView, "name" | "query" | "is_default">) {
  const body = { ...view, page: VIEWS_PAGE } as const;
  return unwrap(api.POST("/api/v2/me/views", { body, headers: changing() }));
}

export function changeView(
  view_id: number,
  change: Partial<Pick<SavedView, "name" | "query" | "is_default">>,
) {
  const params = { path: { view_id } };
  return unwrap(api.PATCH("/api/v2/me/views/{view_id}", { params, body: change, headers: changing() }));
}

export function deleteView(view_id: number) {
  const params = { path: { view_id } };
  return unwrapDone(api.DELETE("/api/v2/me/views/{view_id}", { params, headers: changing() }));
}
