/** Shortcuts of single keys. They can be turned off, as speech input and shaking hands trigger them by accident. */

export type Shortcut =
  | "palette"
  | "help"
  | "live"
  | "/replications"
  | "/clusters"
  | "/drivers"
  | "/services"
  | "/configuration";

export const SHORTCUTS: readonly { keys: string; does: string; shortcut: Shortcut }[] = [
  { keys: "/", does: "Open the search", shortcut: "palette" },
  { keys: "g r", does: "Go to the replications", shortcut: "/replications" },
  { keys: "g c", does: "Go to the clusters", shortcut: "/clusters" },
  { keys: "g d", does: "Go to the drivers", shortcut: "/drivers" },
  { keys: "g s", does: "Go to the services", shortcut: "/services" },
  { keys: "g o", does: "Go to the configuration", shortcut: "/configuration" },
  { keys: "p", does: "Pause or resume live updates", shortcut: "live" },
  { keys: "?", does: "Show this list", shortcut: "help" },
];

const SEQUENCE_MS = 1_000;
const OFF_KEY = "srm-shortcuts-off";

export interface Pressed {
  key: string;
  time_ms: number;
}

/** The shortcut that a key completes, alone or after the key before it; null: none. Pure. */
export function shortcutOf(pressed: Pressed, before: Pressed | null): Shortcut | null {
  const isSequence = before !== null && pressed.time_ms - before.time_ms <= SEQUENCE_MS;
  const keys = isSequence ? [`${before.key} ${pressed.key}`, pressed.key] : [pressed.key];
  return SHORTCUTS.find((one) => keys.includes(one.keys))?.shortcut ?? null;
}

/** True in fields, where keys are text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null
  );
}

export function areShortcutsOn(): boolean {
  return window.localStorage.getItem(OFF_KEY) === null;
}

export function turnShortcuts(isOn: boolean): void {
  if (isOn) window.localStorage.removeItem(OFF_KEY);
  else window.localStorage.setItem(OFF_KEY, "1");
}
