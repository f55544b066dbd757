import type { Property } from "@/api/types";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { effectName, effectWord } from "@/features/configuration/properties/keys";

interface EffectBadgeProps {
  property: Pick<Property, "effect" | "note">;
  /** true: what a working key is for is named too */
  isWorking?: boolean;
}

/** Whether a property does anything here, and why not. */
export function EffectBadge({ property, isWorking = false }: EffectBadgeProps) {
  const word = effectWord(property.effect);
  if (word === undefined) {
    if (!isWorking) return null;
    return (
      <span className="config-effect">
        <span className="muted">{effectName(property.effect)}</span>
        {property.note !== "" && <Note text={property.note} />}
      </span>
    );
  }
  return (
    <span className="config-effect">
      <StateBadge tone={property.effect === "unknown" ? "warn" : "idle"} word={word} />
      {property.note !== "" && <Note text={property.note} />}
    </span>
  );
}

function Note({ text }: { text: string }) {
  return (
    <span className="config-why">
      <NameText name={text} />
    </span>
  );
}
