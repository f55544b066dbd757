/** One action on many flows, which requires the operator role. */
import { api, csrfToken, unwrap } from "@/api/client";
import type { components } from "@/api/schema";

type Schemas = components["schemas"];
export type BulkAction = Schemas["BulkAction"];
export type BulkResult = Schemas["BulkActionResult"];

/** Each flow has a result; one that is refused stops no other. A dry run changes nothing. */
export function actOnFlows(body: Schemas["BulkActionRequest"]): Promise<BulkResult> {
  return unwrap(api.POST("/api/v2/replications/actions", { body, headers: { "X-CSRFToken": csrfToken() } }));
}
