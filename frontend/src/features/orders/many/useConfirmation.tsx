import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { plural } from "@/lib/format";
import { isNameTyped } from "@/lib/words";

interface Confirmation {
  isTyped: boolean;
  fields: ReactNode;
}

/** Asks for the name of the chosen thing; of several, for their number and the name of one of those listed. */
export function useConfirmation(one: string, names: readonly string[]): Confirmation {
  const [typedName, setName] = useState("");
  const [typedCount, setCount] = useState("");
  const [first = "", ...others] = names;
  const isSeveral = others.length > 0;
  const count = plural(names.length, one);
  const isNamed = names.some((name) => isNameTyped(typedName, name));
  return {
    isTyped: isNamed && (!isSeveral || isNameTyped(typedCount, count)),
    fields: (
      <>
        {isSeveral && <Typed label={`Type "${count}" to confirm`} value={typedCount} onChange={setCount} />}
        <Typed
          label={isSeveral ? `Type the name of one ${one} of the list` : `Type "${first}" to confirm`}
          value={typedName}
          onChange={setName}
        />
      </>
    ),
  };
}

interface TypedProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

function Typed({ label, value, onChange }: TypedProps) {
  return (
    <TextInput
      size="xs"
      label={label}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
