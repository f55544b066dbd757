import { useState } from "react";
import { copyText } from "@/components/copy/copy-text";

const SAID = { copied: "Copied", refused: "The browser refused to copy" } as const;

/** Copies a text. `said` is the result of the last copy, to show in place of the label of its button. */
export function useCopy() {
  const [result, setResult] = useState<keyof typeof SAID>();
  const copy = (text: string) =>
    void copyText(text).then(
      () => setResult("copied"),
      () => setResult("refused"),
    );
  return { result, said: result === undefined ? undefined : SAID[result], copy };
}
