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

function signature(flows: readonly FlowRow[] | null): string {
  return flows === null ? "-" : flows.map((flow) => `${flow.key}=${flow.status}`).join(" ");
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

export interface Connection {
  word: ConnectionWord;
  is_paused: boolean;
  updated_ms: number | null;
}

/** The state of the connection; it changes with events and with time, so it is read each second. */
export function useConnection(): Connection {
  const store = useLiveStore();
  const now_ms = useNow();
  const subscribe = useCallback((changed: () => void) => store.onConnection(changed), [store]);
  const word = useSyncExternalStore(subscribe, () => store.connection(Math.max(now_ms, Date.now())));
  const is_paused = useSyncExternalStore(subscribe, () => store.isPaused());
  return { word, is_paused, updated_ms: store.lastUpdate() };
}
