import { useCallback, useState } from "react";

/** A state that outlives a reload and a new sign-in in this tab; `kept` takes out what must not be stored. */
export function useSessionState<State extends object>(
  key: string,
  initial: State,
  kept: (state: State) => Partial<State> = (state) => state,
): [State, (change: Partial<State>) => void, () => void] {
  const [state, setState] = useState<State>(() => ({ ...initial, ...stored<State>(key) }));
  const change = useCallback(
    (change: Partial<State>) =>
      setState((before) => {
        const after = { ...before, ...change };
        sessionStorage.setItem(key, JSON.stringify(kept(after)));
        return after;
      }),
    [key, kept],
  );
  const forget = useCallback(() => sessionStorage.removeItem(key), [key]);
  return [state, change, forget];
}

/** True while something typed is kept under this key. */
export function isKept(key: string): boolean {
  return sessionStorage.getItem(key) !== null;
}

function stored<State>(key: string): Partial<State> {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Partial<State>) : {};
  } catch {
    return {};
  }
}
