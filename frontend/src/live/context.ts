/** How components read the live store. */
import {
  createContext,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { ConnectionWord } from "@/live/connection";
import type { FlowRow } from "@/live/flow-row";
import { onBeat, PULSE_MS } from "@/live/pulse";
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

/** A row out of view is read again this often, and whenever its status changes. */
const FAR_MS = 30_000;

/** The flow for a row of a long list: read again each second only while the row is near the view. */
export function useFlowInList(key: string, isNear: boolean): FlowRow | undefined {
  const store = useLiveStore();
  const shown = useRef({ flow: store.flow(key), at_ms: Date.now() });
  const read = useCallback((): FlowRow | undefined => {
    const flow = store.flow(key);
    const { flow: before, at_ms } = shown.current;
    const isDue = isNear || flow?.status !== before?.status || Date.now() - at_ms >= FAR_MS;
    if (isDue && flow !== before) shown.current = { flow, at_ms: Date.now() };
    return shown.current.flow;
  }, [store, key, isNear]);
  const subscribe = useCallback((changed: () => void) => store.onFlow(key, changed), [store, key]);
  return useSyncExternalStore(subscribe, read);
}

/** The status of the flow; a reader renders only when it changes. */
export function useFlowStatus(key: string): FlowRow["status"] | undefined {
  return useFlowPart(key, "status");
}

/** A member of the flow; a reader renders only when it changes. */
export function useFlowPart<Part extends keyof FlowRow>(key: string, part: Part): FlowRow[Part] | undefined {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onFlow(key, changed), [store, key]);
  return useSyncExternalStore(subscribe, () => store.flow(key)?.[part]);
}

/** Every flow after each frame: for the tiles. Tables use {@link useSettledFlows}. */
export function useFlows(): readonly FlowRow[] | null {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onTick(changed), [store]);
  return useSyncExternalStore(subscribe, () => store.list());
}

/** The flows for readers of their keys and statuses, which render only when one of those changes. */
export function useMembers(): readonly FlowRow[] | null {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onTick(changed), [store]);
  return useSyncExternalStore(subscribe, () => store.members());
}

/**
 * The flows for sorting and filtering: at once when a flow comes, goes or changes its status, else every
 * few seconds, so that rows do not jump under the pointer each second. A long table in another order is rendered in
 * parts, between which the page answers.
 */
export function useSettledFlows(): readonly FlowRow[] | null {
  const store = useLiveStore();
  const [flows, setFlows] = useState(() => store.settled());
  const isEmpty = flows === null;
  useEffect(() => {
    const read = (): void => {
      if (isEmpty) setFlows(store.settled());
      else startTransition(() => setFlows(store.settled()));
    };
    read();
    return store.onTick(read);
  }, [store, isEmpty]);
  return flows;
}

/** The present moment, about once a second, together with the newest numbers; still while paused or hidden. */
export function useNow(every_ms = PULSE_MS): number {
  const store = useLiveStore();
  const shown = useRef(0);
  if (shown.current === 0) shown.current = Date.now();
  const subscribe = useCallback(
    (changed: () => void) =>
      onBeat(() => {
        const now_ms = Date.now();
        if (store.isPaused() || document.hidden || now_ms - shown.current < every_ms - PULSE_MS / 2) return;
        shown.current = now_ms;
        changed();
      }),
    [store, every_ms],
  );
  return useSyncExternalStore(subscribe, () => shown.current);
}

/** The word of the connection, which changes with events and with time; a reader renders only when it changes. */
export function useConnectionWord(): ConnectionWord {
  const store = useLiveStore();
  const subscribe = useCallback(
    (changed: () => void) => {
      const stops = [store.onConnection(changed), onBeat(changed)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [store],
  );
  return useSyncExternalStore(subscribe, () => store.connection(Date.now()));
}

/** True while live updates are paused. */
export function usePaused(): boolean {
  const store = useLiveStore();
  const subscribe = useCallback((changed: () => void) => store.onConnection(changed), [store]);
  return useSyncExternalStore(subscribe, () => store.isPaused());
}
