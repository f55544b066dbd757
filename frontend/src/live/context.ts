/** How components read the live store. */
import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { ConnectionWord } from "@/live/connection";
import type { FlowRow } from "@/live/flow-row";
import type { LiveStore } from "@/live/store";

export const LiveContext = createContext<LiveStore | null>(null);

export function useLiveStore(): LiveStore {
  const store = useContext(LiveContext);
  if (store === null) throw new Error("useLiveStore needs a LiveContext above it");
  return store;
}

/** The flow, read again whenever a frame changes it. */
export function useFlow(key: string): FlowRow | undefined {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onFlow(key, changed), [store, key]);
  return useSyncExternalStore(subscribe, () => store.flow(key));
}

/** The status of the flow; a reader renders only when it changes. */
export function useFlowStatus(key: string): FlowRow["status"] | undefined {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onFlow(key, changed), [store, key]);
  return useSyncExternalStore(subscribe, () => store.flow(key)?.status);
}

/** Every flow after each frame: for the tiles. Tables use {@link useSettledFlows}. */
export function useFlows(): readonly FlowRow[] | null {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onTick(changed), [store]);
  return useSyncExternalStore(subscribe, () => store.list());
}

/**
 * The flows for sorting and filtering: at once when a flow comes, goes or changes its status, else every
 * few seconds, so that rows do not jump under the pointer each second.
 */
export function useSettledFlows(settle_ms = 5_000): readonly FlowRow[] | null {
  const store = useLiveStore();
  const [flows, setFlows] = useState(store.list());
  useEffect(() => {
    let shown = store.list();
    let shown_at = Date.now();
    const take = (): void => {
      shown = store.list();
      shown_at = Date.now();
      setFlows(shown);
    };
    take();
    return store.onTick(() => {
      const isDue = Date.now() - shown_at >= settle_ms;
      if (isDue || signature(store.list()) !== signature(shown)) take();
    });
  }, [store, settle_ms]);
  return flows;
}

const SIGNATURES = new WeakMap<readonly FlowRow[], string>();

/** Which flows there are, and their statuses; each list is read once, however many ask. */
function signature(flows: readonly FlowRow[] | null): string {
  if (flows === null) return "-";
  const known = SIGNATURES.get(flows);
  if (known !== undefined) return known;
  const text = flows.map((flow) => `${flow.key}=${flow.status}`).join(" ");
  SIGNATURES.set(flows, text);
  return text;
}

/** The present moment, once a second; still while the page is hidden. */
export function useNow(every_ms = 1_000): number {
  const [now_ms, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now_ms;
}

/** The word of the connection, which changes with events and with time; a reader renders only when it changes. */
export function useConnectionWord(): ConnectionWord {
  const store = useLiveStore();
  const subscribe = useCallback(
    (changed: () => void) => {
      const stop = store.onConnection(changed);
      const timer = setInterval(changed, 1_000);
      return () => {
        stop();
        clearInterval(timer);
      };
    },
    [store],
  );
  return useSyncExternalStore(subscribe, () => store.connection(Date.now()));
}

export interface Connection {
  word: ConnectionWord;
  is_paused: boolean;
  updated_ms: number | null;
}

/** The state of the connection, with the time of the newest numbers: read each second. */
export function useConnection(): Connection {
  const store = useLiveStore();
  useNow();
  const word = useConnectionWord();
  const subscribe = useCallback((changed: () => void) => store.onConnection(changed), [store]);
  const is_paused = useSyncExternalStore(subscribe, () => store.isPaused());
  return { word, is_paused, updated_ms: store.lastUpdate() };
}
