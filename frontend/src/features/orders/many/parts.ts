/** Topics and partitions of a flow as rows that can be chosen. Pure. */
import type { Scope } from "@/features/orders/order";
import { partName } from "@/lib/format";

export const partKey = ({ topic, partition }: Scope): string => JSON.stringify([topic, partition]);

export function partOf(key: string): Scope {
  const [topic, partition] = JSON.parse(key) as [string, number | null];
  return { topic, partition };
}

export const nameOf = ({ topic, partition }: Scope): string => partName(topic, partition);
