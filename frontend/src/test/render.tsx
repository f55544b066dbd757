/** Renders a page of the router with a store and answers of the service made by the test. */
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  type AnyRoute,
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { keepErrors } from "@/api/kept-errors";
import { routeTree } from "@/app/router";
import { LiveContext } from "@/live/context";
import { LiveStore } from "@/live/store";

export interface Answer {
  status: number;
  body: unknown;
}

const NO_POINTS = { metric: "", unit: "", from_ms: 0, to_ms: 0, step_ms: 10_000, points: [] };

export const SUMMARY = {
  partial: [],
  series: {
    records_per_second: NO_POINTS,
    bytes_per_second: NO_POINTS,
    lag_offsets: NO_POINTS,
    replication_latency_ms: NO_POINTS,
    replication_latency_p95_ms: NO_POINTS,
  },
};

const EMPTY_LIST = { items: [], next_cursor: null, as_of_ms: 1, partial: [] };

function usual(path: string): unknown {
  if (path.endsWith("/me")) return { username: "ada", role: "viewer", permissions: [] };
  if (path.endsWith("/me/preferences")) return { pinned_flows: [], columns: [] };
  if (path.endsWith("/summary")) return SUMMARY;
  if (path.endsWith("/metrics/flows")) return { ...NO_POINTS, items: [] };
  if (path.endsWith("/marks")) return { events: [], gaps: [], versions: [], is_cut: false };
  return path.endsWith("/series") ? NO_POINTS : EMPTY_LIST;
}

/** The service answers as usual, but for the paths that end as given. */
export function answerWith(special: Readonly<Record<string, Answer>> = {}): void {
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname;
    const ending = Object.keys(special).find((end) => path.endsWith(end));
    const { status, body } = (ending && special[ending]) || { status: 200, body: usual(path) };
    return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
  });
}

export async function renderAt(address: string, store: LiveStore = new LiveStore()): Promise<LiveStore> {
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree, history });
  await router.load();
  renderPart(<RouterProvider router={router} />, store);
  return store;
}

/** Renders a part of a page that reads and changes its address, without the rest; returns the query of the address. */
export function renderWithAddress(part: ReactNode, store?: LiveStore): Promise<() => object> {
  return renderRoutes(createRootRoute({ component: () => part }), "/", store);
}

/** The same with the address of its page, for parts that read the query or the parameters of its route. */
export function renderAlone(
  path: string,
  part: ReactNode,
  address = path,
  store?: LiveStore,
): Promise<() => object> {
  const root = createRootRoute();
  const route = createRoute({ getParentRoute: () => root, path, component: () => part });
  return renderRoutes(root.addChildren([route]), address, store);
}

async function renderRoutes(routeTree: AnyRoute, address: string, store?: LiveStore): Promise<() => object> {
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree, history });
  await router.load();
  // biome-ignore lint/suspicious/noExplicitAny: the types of routes know the router of the page only
  renderPart(<RouterProvider router={router as any} />, store);
  return () => router.state.location.search;
}

/** Renders a part of a page that needs no address. */
export function renderPart(part: ReactNode, store: LiveStore = new LiveStore()): void {
  const queries = keepErrors(new QueryClient({ defaultOptions: { queries: { retry: false } } }));
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <LiveContext value={store}>{part}</LiveContext>
      </QueryClientProvider>
    </MantineProvider>,
  );
}
