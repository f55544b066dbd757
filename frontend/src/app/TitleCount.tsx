import { useEffect } from "react";
import { isUnhealthy } from "@/lib/status";
import { setUnhealthyCount } from "@/lib/title";
import { useMembers } from "@/live/context";

/** Keeps the number of unhealthy flows in the title of the browser's tab. */
export function TitleCount() {
  const flows = useMembers();
  const unhealthy = (flows ?? []).filter((flow) => isUnhealthy(flow.status)).length;
  useEffect(() => setUnhealthyCount(unhealthy), [unhealthy]);
  return null;
}
