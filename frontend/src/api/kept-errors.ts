/** Errors of answers that were never read. */
import type { Query, QueryClient } from "@tanstack/react-query";

/** While a failed answer is asked for again, its error stays: its card keeps the message instead of grey rows. */
export function keepErrors(queries: QueryClient): QueryClient {
  const errors = new WeakMap<Query, Error>();
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    const { query, action } = event;
    const { data, status } = query.state;
    if (action.type === "error") errors.set(query, action.error as Error);
    else if (action.type === "fetch") {
      const error = errors.get(query);
      if (error !== undefined && data === undefined) query.setState({ status: "error", error });
    } else if (status !== "error") errors.delete(query);
  });
  return queries;
}
