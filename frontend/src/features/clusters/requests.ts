/** REST requests about one cluster; changes require the admin role. */
import { queryOptions, skipToken } from "@tanstack/react-query";
import { api, changing, unwrap, unwrapDone, unwrapTagged, wholeOf } from "@/api/client";
import type { ClusterChange, ClusterDefinition, ConnectionReport, DefinitionTest, Side } from "@/api/types";

const REFRESH_MS = 15_000;

/** A cluster with the ETag of its settings. */
export function clusterQuery(alias: string) {
  return queryOptions({
    queryKey: ["cluster", alias],
    queryFn: ({ signal }) =>
      unwrapTagged(api.GET("/api/v2/clusters/{alias}", { params: { path: { alias } }, signal })),
    refetchInterval: REFRESH_MS,
  });
}

/** The flows that read from a cluster, or write into it, page after page. */
export function flowsOfQuery(side: Side, alias: string) {
  return queryOptions({
    queryKey: ["flows-of", side, alias],
    queryFn: ({ signal }) =>
      wholeOf((from) => {
        const query = { [side]: alias, limit: 200, ...from };
        return unwrap(api.GET("/api/v2/replications", { params: { query }, signal }));
      }),
    refetchInterval: REFRESH_MS,
  });
}

/** The newest plan of a flow with its warnings. */
export function flowPlanQuery({ source, target }: { source: string; target: string }) {
  return queryOptions({
    queryKey: ["flow-plan", source, target],
    queryFn: ({ signal }) => {
      const params = { path: { source, target } };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/plan", { params, signal }));
    },
    staleTime: REFRESH_MS,
  });
}

export const discoveredQuery = queryOptions({
  queryKey: ["discovered"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/v2/clusters/discovered", { signal })),
  staleTime: REFRESH_MS,
});

export function createCluster(body: ClusterDefinition) {
  return unwrap(api.POST("/api/v2/clusters", { body, headers: changing() }));
}

export function changeCluster(alias: string, body: ClusterChange, etag: string | null) {
  const params = { path: { alias } };
  return unwrap(api.PATCH("/api/v2/clusters/{alias}", { params, body, headers: changing(etag) }));
}

export function deleteCluster(alias: string, etag: string | null) {
  const params = { path: { alias } };
  return unwrapDone(api.DELETE("/api/v2/clusters/{alias}", { params, headers: changing(etag) }));
}

/** The report of the last connection test of a cluster, kept as long as the page is open. */
export function lastTestQuery(alias: string) {
  return queryOptions<ConnectionReport>({
    queryKey: ["cluster-test", alias],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

export function testCluster(alias: string) {
  const params = { path: { alias } };
  return unwrap(
    api.POST("/api/v2/clusters/{alias}/test", { params, body: { timeout_ms: 8_000 }, headers: changing() }),
  );
}

export function testDefinition(body: DefinitionTest) {
  return unwrap(api.POST("/api/v2/clusters/test", { body, headers: changing() }));
}
