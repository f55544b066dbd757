/** The definition of a flow; changes require the operator role. */
import { queryOptions } from "@tanstack/react-query";
import { api, changing, unwrapDone, unwrapTagged } from "@/api/client";
import type { FlowAddress } from "@/api/queries";

/** The version of a flow that a form is opened on, which a change names: a later one refuses the change. */
export function flowVersionQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["flow-version", source, target],
    queryFn: async ({ signal }) => {
      const params = { path: { source, target } };
      const { etag } = await unwrapTagged(
        api.GET("/api/v2/replications/{source}/{target}", { params, signal }),
      );
      return etag;
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Enables or disables a flow; returns the ETag of the changed one. */
export async function switchFlow(
  { source, target }: FlowAddress,
  enabled: boolean,
  comment: string,
  etag: string | null,
): Promise<string | null> {
  const request = api.PATCH("/api/v2/replications/{source}/{target}", {
    params: { path: { source, target } },
    body: { enabled, comment },
    headers: changing(etag),
  });
  return (await unwrapTagged(request)).etag;
}

export function deleteFlow({ source, target }: FlowAddress, etag: string | null): Promise<void> {
  const params = { path: { source, target } };
  return unwrapDone(
    api.DELETE("/api/v2/replications/{source}/{target}", { params, headers: changing(etag) }),
  );
}
