import "@/app/theme/mantine-css";
import "@/app/theme/tokens.css";
import "@/app/theme/base.css";
import "@/app/theme/shell.css";
import "@/app/theme/components.css";
import "@/app/theme/tiles.css";
import "@/app/theme/overview.css";
import "@/app/theme/tables.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepErrors } from "@/api/kept-errors";
import { ApiProblem } from "@/api/problem";
import { startLive } from "@/app/live";
import { makeRouter } from "@/app/router";
import { cssVariablesResolver, theme } from "@/app/theme/theme";
import { styleNonce } from "@/lib/nonce";
import { LiveContext } from "@/live/context";
import { LiveStore } from "@/live/store";

const MAX_RETRIES = 2;

/** A retry does not help when a request is invalid or forbidden. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isRefused = error instanceof ApiProblem && error.status < 500;
  return !isRefused && failures < MAX_RETRIES;
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");

const store = new LiveStore();
// While paused, a retry would wait until live updates are resumed.
const retry = (failures: number, error: Error) => !store.isPaused() && isWorthRetrying(failures, error);
const refetchOnReconnect = () => !store.isPaused();
const queries = keepErrors(new QueryClient({ defaultOptions: { queries: { retry, refetchOnReconnect } } }));
const router = makeRouter();
startLive(store, queries);

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <LiveContext value={store}>
          <RouterProvider router={router} />
        </LiveContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
