import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { KnownKey } from "@/api/types";
import { focusOpened } from "@/lib/view/focus";

export interface ValueFieldProps {
  known: KnownKey | undefined;
  isSecret: boolean;
  /** true: an empty field keeps the secret that is stored */
  isStored?: boolean;
  /** false: no key is typed yet, of which something could be known */
  isNamed?: boolean;
  /** true: the facts above it tell which values are allowed, and the default */
  hasFacts?: boolean;
  value: string;
  onChange: (value: string) => void;
  hasFocus?: boolean;
  /** why the value is refused */
  error?: string | undefined;
}

const LONG_KINDS = new Set(["list", "patterns"]);

/** The field that fits the type of a key. */
export function ValueField(props: ValueFieldProps) {
  const { known, isSecret, isStored = false, value, onChange, hasFocus = false } = props;
  const isNamed = props.isNamed ?? true;
  const isTold = props.hasFacts === true && !isSecret && known !== undefined;
  const description = isNamed
    ? !isTold && descriptionOf(known, isSecret, isStored)
    : "The key decides which values are allowed";
  const common = {
    label: "Value",
    description,
    value,
    error: props.error,
    "data-autofocus": hasFocus || undefined,
  };
  if (isSecret) {
    return (
      <TextInput
        {...common}
        type="password"
        autoComplete="new-password"
        ref={focused(hasFocus)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const choices = choicesOf(known);
  if (choices.length > 0) {
    const data = choices.includes(value) ? choices : [value, ...choices];
    return (
      <NativeSelect
        {...common}
        data={data}
        ref={focused(hasFocus)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (known === undefined || LONG_KINDS.has(known.kind) || value.length > 60) {
    return (
      <Textarea
        {...common}
        autosize={false}
        rows={value.length > 60 || LONG_KINDS.has(known?.kind ?? "") ? 3 : 1}
        ref={focused(hasFocus)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...common}
      className="mono"
      ref={focused(hasFocus)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function focused(hasFocus: boolean) {
  return hasFocus ? focusOpened : undefined;
}

export function choicesOf(known: KnownKey | undefined): readonly string[] {
  if (known?.kind === "boolean") return ["true", "false"];
  return known?.choices ?? [];
}

function descriptionOf(known: KnownKey | undefined, isSecret: boolean, isStored: boolean): string {
  if (isSecret) {
    const kept = isStored ? "Leave it empty to keep the stored one. " : "";
    return `${kept}It is stored encrypted and never shown again.`;
  }
  if (known === undefined) return "The key is unknown: it is stored but has no effect";
  return `Must be ${known.allowed}${known.default === null ? "" : `; ${known.default} by default`}`;
}
