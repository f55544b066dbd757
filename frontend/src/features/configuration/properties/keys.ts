/** What is known of the key of a property, and who may change it. Pure. */

import type { KnownKey, Property } from "@/api/types";
import { bareName, type Place, prefixOf } from "@/features/configuration/properties/levels";
import { capitalized } from "@/lib/words";

const CLIENT_OF: Record<string, string> = {
  consumer: "consumer",
  producer: "producer",
  admin: "admin",
  cluster: "connection",
};

/** The entry of the key table for a name: itself, with its client, or without the prefix of its client. */
export function knownKeyOf(name: string, keys: ReadonlyMap<string, KnownKey>): KnownKey | undefined {
  const bare = bareName(name);
  const client = prefixOf(name)
    .split(".")
    .map((part) => CLIENT_OF[part])
    .find((found) => found !== undefined);
  return keys.get(name) ?? keys.get(`${client}.${bare}`) ?? keys.get(bare);
}

export function byKey(keys: readonly KnownKey[]): ReadonlyMap<string, KnownKey> {
  return new Map(keys.flatMap((key) => [key.key, ...key.old_spellings].map((name) => [name, key] as const)));
}

/** All properties that set a key, on any level and with any prefix of a client. */
export function settersOf(key: string, properties: readonly Property[]): Property[] {
  const wanted = bareName(key);
  return properties.filter(({ name }) => name === key || name === wanted || bareName(name) === wanted);
}

const WITHOUT_EFFECT = new Set(["none", "unknown"]);

export function hasEffect(effect: string): boolean {
  return !WITHOUT_EFFECT.has(effect);
}

const EFFECT_WORDS: Record<string, string> = {
  none: "No effect",
  unknown: "Unknown key",
};

/** The part of the replication that a working key acts on, as one word. */
export function effectName(effect: string): string {
  return capitalized(effect);
}

/** The word for an effect; undefined: the key works. */
export function effectWord(effect: string): string | undefined {
  return EFFECT_WORDS[effect];
}

/** Why a person may not change a property; null: it may. The service decides; this only says it beforehand. */
export function refusal(
  place: Pick<Place, "level" | "name">,
  known: KnownKey | undefined,
  isSecret: boolean,
  permissions: readonly string[],
): string | null {
  if (!permissions.includes("flows.change")) return "Changes need the operator role.";
  if (permissions.includes("clusters.change")) return null;
  if (isSecret || known?.is_secret) return "Secrets need the admin role.";
  const isOfCluster = place.level === "cluster" || place.level === "global";
  const isConnection = known?.owner === "connection" || place.name === "clusters";
  return isOfCluster && isConnection ? "Connections of clusters need the admin role." : null;
}

/** The text of a hidden secret; sent back, it keeps what is stored. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration, not a template
export const HIDDEN = "${secret:hidden}";
