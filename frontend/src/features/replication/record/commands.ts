/** The same question as a command and as a REST request, to copy. Pure. */
import type { RecordAddress } from "@/api/topic";
import { type ByHand, commandOf, getOf } from "@/lib/by-hand";

export function sameRecord(address: RecordAddress, withValue: boolean): ByHand {
  const { source, target, topic, partition, offset, on } = address;
  const options = { topic, partition, offset, "on-target": on === "target", value: withValue };
  const place = `topics/${encodeURIComponent(topic)}/partitions/${partition}/records/${offset}`;
  const query = `?on=${on}${withValue ? "&value=true" : ""}`;
  return {
    command: commandOf(["record", `${source}->${target}`], options),
    request: getOf(address, place + query),
  };
}
