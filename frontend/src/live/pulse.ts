/**
 * One pace for everything that changes with time, so that a second takes one render: each frame is a beat, and without
 * frames a timer beats.
 */

type Listener = () => void;

/** A frame comes, and the page changes, once in this time. */
export const PULSE_MS = 1_000;

/** A frame a second is a little late at times: the beat waits for it. */
const WAIT_MS = 1.15 * PULSE_MS;

const listeners = new Set<Listener>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls every listener now; the next beat follows by itself. */
export function beat(): void {
  clearTimeout(timer);
  if (listeners.size === 0) return;
  timer = setTimeout(beat, WAIT_MS);
  for (const listener of [...listeners]) listener();
}

/** Calls back about once a second; returns what ends that. */
export function onBeat(listener: Listener): () => void {
  if (listeners.size === 0) timer = setTimeout(beat, WAIT_MS);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearTimeout(timer);
  };
}
