/** Connects the socket, the store and the REST fallback. */
import { focusManager, type QueryClient } from "@tanstack/react-query";
import { flowRowOf } from "@/api/flow/flow-row";
import { flowsQuery } from "@/api/queries";
import { POLL_EVERY_MS } from "@/live/connection";
import { LiveSocket } from "@/live/socket";
import type { LiveStore } from "@/live/store";

export const FLOWS_TOPIC = "flows";

function socketUrl(): string {
  const scheme = window.location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${window.location.host}/ws/v1/live`;
}

export function startLive(store: LiveStore, queries: QueryClient): void {
  let wasLost = false;
  const socket = new LiveSocket(socketUrl(), [FLOWS_TOPIC], {
    onFrame: (frame) => (frame.topic === FLOWS_TOPIC ? store.applyFrame(frame) : true),
    onHeard: () => store.heard(),
    onOpen: () => {
      store.opened();
      // The stored tiles now hold the missed points. Resuming reads them too.
      if (wasLost && !store.isPaused()) void queries.invalidateQueries({ queryKey: ["series"] });
      wasLost = false;
    },
    onLost: () => {
      wasLost = true;
      store.lost();
    },
    onSessionEnded: () => store.signedOut(),
  });
  applyAnswers(store, queries);
  pauseQueries(store);
  socket.start();
  readFlows(queries);
  setInterval(() => {
    const word = store.connection(Date.now());
    const isWanted = (word === "polling" && !store.isPaused()) || store.list() === null;
    if (isWanted && !document.hidden) readFlows(queries);
  }, POLL_EVERY_MS);
}

/**
 * While live updates are paused, queries rest as they do in a hidden page, and resuming reads all of them again. A query
 * with `refetchIntervalInBackground` continues: a person waits for its answer.
 */
export function pauseQueries(store: LiveStore): () => void {
  return store.onConnection(() => focusManager.setFocused(store.isPaused() ? false : undefined));
}

/** Reads the flows over REST. The page shows a failure; a success reaches the store by the cache's event. */
function readFlows(queries: QueryClient): void {
  void queries.prefetchQuery({ ...flowsQuery, staleTime: 0 });
}

function applyAnswers(store: LiveStore, queries: QueryClient): void {
  queries.getQueryCache().subscribe((event) => {
    const isAnswer = event.type === "updated" && event.action.type === "success";
    if (!isAnswer || event.query.queryKey[0] !== flowsQuery.queryKey[0]) return;
    const answer = queries.getQueryData(flowsQuery.queryKey);
    if (answer === undefined) return;
    const rows = answer.flows.map((flow) => flowRowOf(flow, answer.as_of_ms));
    store.applyRows(rows, answer.as_of_ms);
  });
}
