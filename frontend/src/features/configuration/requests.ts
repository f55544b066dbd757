/** REST requests about the configuration: properties, keys, drafts, plans, versions and files. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, changing, cursorOf, unwrap, unwrapDone, unwrapTagged } from "@/api/client";
import { ApiProblem } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type {
  EffectiveOrdering,
  ImportOrder,
  PropertyChange,
  TreeFormat,
  VersionOrdering,
} from "@/api/types";

const FRESH_MS = 10_000;
const PAGE = 1_000;

/** All stored properties in their order, with the version that has them. */
export const propertiesQuery = queryOptions({
  queryKey: ["configuration", "properties"],
  queryFn: async ({ signal }) => {
    const properties = [];
    for (let cursor: string | null = null; ; ) {
      const query: { limit: number; cursor?: string } = { limit: PAGE, ...cursorOf(cursor) };
      const page = await unwrap(api.GET("/api/v2/properties", { params: { query }, signal }));
      properties.push(...page.items);
      cursor = page.next_cursor;
      if (cursor === null) return { properties, version: page.version, dialect: page.dialect };
    }
  },
  refetchInterval: FRESH_MS,
});

/** All known keys, with the levels and defaults of the stored dialect. */
export const keysQuery = queryOptions({
  queryKey: ["configuration", "keys"],
  queryFn: async ({ signal }) => {
    const query = { limit: PAGE };
    return (await unwrap(api.GET("/api/v2/settings", { params: { query }, signal }))).items;
  },
  staleTime: 10 * FRESH_MS,
});

export const draftsQuery = queryOptions({
  queryKey: ["configuration", "drafts"],
  queryFn: async ({ signal }) => (await unwrap(api.GET("/api/v2/config/drafts", { signal }))).items,
  refetchInterval: FRESH_MS,
});

/** A draft as it would be applied now, with its ETag. */
export function draftQuery(draft_id: number) {
  return queryOptions({
    queryKey: ["configuration", "draft", draft_id],
    queryFn: ({ signal }) =>
      unwrapTagged(api.GET("/api/v2/config/drafts/{draft_id}", { params: { path: { draft_id } }, signal })),
    refetchInterval: FRESH_MS,
  });
}

export function createDraft(name: string, changes: PropertyChange[]) {
  return unwrap(api.POST("/api/v2/config/drafts", { body: { name, changes }, headers: changing() }));
}

interface DraftChange {
  name?: string;
  changes?: PropertyChange[];
  rebase?: boolean;
}

export function changeDraft(draft_id: number, change: DraftChange, etag: string | null) {
  const body = { rebase: false, ...change };
  return unwrap(
    api.PATCH("/api/v2/config/drafts/{draft_id}", {
      params: { path: { draft_id } },
      body,
      headers: changing(etag),
    }),
  );
}

/** Fails if the configuration with the changes refuses the value of the key; other errors are told by the draft. */
export async function checkValue(key: string, changes: PropertyChange[]) {
  const body = { changes, comment: "", dry_run: true };
  try {
    await unwrap(api.PATCH("/api/v2/properties", { body, headers: changing() }));
  } catch (error) {
    if (refusedValue(error, key) !== undefined) throw error;
  }
}

/** Why the configuration refuses the value of a key. */
export function refusedValue(error: unknown, key: string): string | undefined {
  const findings = error instanceof ApiProblem ? error.findings : [];
  return findings.find((finding) => finding.severity === "error" && finding.key === key)?.message;
}

export function deleteDraft(draft_id: number) {
  const params = { path: { draft_id } };
  return unwrapDone(api.DELETE("/api/v2/config/drafts/{draft_id}", { params, headers: changing() }));
}

/** Applies a draft if no one has changed the configuration since its base version. */
export function applyDraft(draft_id: number, comment: string) {
  return unwrap(
    api.POST("/api/v2/config/drafts/{draft_id}/apply", {
      params: { path: { draft_id } },
      body: { comment, dry_run: false },
      headers: changing(),
    }),
  );
}

const PLAN_MS = 10_000;

/** What a stored draft would do in each flow. `edition` is the state of the draft that is asked about. */
export function draftPlanQuery(draft: number, edition: string) {
  return queryOptions({
    queryKey: ["configuration", "plan", draft, edition],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v2/config/plan", { body: { draft, wait_ms: PLAN_MS }, headers: changing(), signal }),
      ),
    staleTime: FRESH_MS,
    retry: false,
  });
}

export function versionsQuery(ordering: VersionOrdering | undefined) {
  return infiniteQueryOptions({
    queryKey: ["configuration", "versions", ordering],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 50, ...(ordering === undefined ? {} : { ordering }), ...cursorOf(pageParam) };
      return unwrap(api.GET("/api/v2/config/versions", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: FRESH_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

/** The newest version; null: the configuration was never changed. */
export const newestVersionQuery = queryOptions({
  queryKey: ["configuration", "newest version"],
  queryFn: async ({ signal }) => {
    const query = { limit: 1 };
    const page = await unwrap(api.GET("/api/v2/config/versions", { params: { query }, signal }));
    return page.items[0] ?? null;
  },
  refetchInterval: FRESH_MS,
});

export function versionDiffQuery(from: number, to: number) {
  return queryOptions({
    queryKey: ["configuration", "diff", from, to],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v2/config/diff", { params: { query: { from, to } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface RevertOrder {
  comment: string;
  dry_run: boolean;
}

/** Restores the properties of a version as a new version, unless somebody was faster than `etag`. */
export function revertTo(number: number, body: RevertOrder, etag: string | null) {
  const params = { path: { number } };
  return unwrapTagged(
    api.POST("/api/v2/config/versions/{number}/revert", { params, body, headers: changing(etag) }),
  );
}

export function importFile(body: ImportOrder, etag: string | null) {
  return unwrapTagged(api.POST("/api/v2/properties/import", { body, headers: changing(etag) }));
}

/** The stored properties as a file. */
export function exportQuery(format: TreeFormat) {
  return queryOptions({
    queryKey: ["configuration", "export", format],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v2/properties/export", { params: { query: { format } }, signal })),
    staleTime: 0,
  });
}

export interface EffectiveFilter {
  key?: string;
  client?: string;
  only_set: boolean;
  ordering?: EffectiveOrdering | undefined;
}

/** The values in force for one flow, each with those that lost. */
export function effectiveQuery({ source, target }: FlowAddress, filter: EffectiveFilter) {
  const { only_set, ordering } = filter;
  const wanted = {
    only_set,
    ...(ordering === undefined ? {} : { ordering }),
    ...(filter.key ? { key: filter.key } : {}),
    ...(filter.client ? { client: filter.client } : {}),
  };
  return infiniteQueryOptions({
    queryKey: ["configuration", "effective", source, target, wanted],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...wanted, limit: 100, ...cursorOf(pageParam) };
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/effective", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (before) => before,
    refetchInterval: FRESH_MS,
  });
}

/** The values of the flow itself that are in force, without those of its clients. */
export function flowValuesQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["configuration", "effective", source, target, "flow"],
    queryFn: async ({ signal }) => {
      const query = { client: "flow", only_set: false, limit: PAGE };
      const params = { path: { source, target }, query };
      const page = await unwrap(
        api.GET("/api/v2/replications/{source}/{target}/effective", { params, signal }),
      );
      return page.items;
    },
    staleTime: FRESH_MS,
    retry: false,
  });
}
