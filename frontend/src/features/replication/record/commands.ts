/** The same question as a command and as a REST request, to copy. Pure. */
import type { RecordAddress } from "@/api/topic";
import { quoted, type SameOrder } from "@/features/orders/commands";

export function sameRecord(address: RecordAddress, withValue: boolean): SameOrder {
  const { source, target, topic, partition, offset, on } = address;
  const command = [
    "srm-control record",
    quoted(`${source}->${target}`),
    `--topic ${quoted(topic)} --partition ${partition} --offset ${offset}`,
    ...(on === "target" ? ["--on-target"] : []),
    ...(withValue ? ["--value"] : []),
  ];
  const flow = `${encodeURIComponent(source)}/${encodeURIComponent(target)}`;
  const place = `topics/${encodeURIComponent(topic)}/partitions/${partition}/records/${offset}`;
  const url = `${window.location.origin}/api/v2/replications/${flow}/${place}?on=${on}${withValue ? "&value=true" : ""}`;
  return { command: command.join(" "), request: `curl '${url}' -H "Authorization: Bearer $SRM_TOKEN"` };
}
