import { useNavigate, useSearch } from "@tanstack/react-router";

/** A text that the address holds under a name, such as the order of a table; the usual one is left out. */
export function useAddressState(name: string, usual: string): [string, (text: string) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const held = search[name];
  const set = (text: string): void =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, [name]: text === usual ? undefined : text }),
      replace: true,
      resetScroll: false,
    });
  return [typeof held === "string" ? held : usual, set];
}
