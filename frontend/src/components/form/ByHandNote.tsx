import "@/components/form/form.css";
import { CopyText } from "@/components/form/CopyText";
import type { ByHand } from "@/lib/by-hand";

/** The same as a command and as a request, with buttons that copy them. */
export function ByHandNote({ same }: { same: ByHand }) {
  return (
    <details className="by-hand-note">
      <summary>The same as a command</summary>
      <CopyText label={`Command of ${same.command.split(" ", 1)[0]}`} text={same.command} />
      <CopyText label="REST request" text={same.request} />
    </details>
  );
}
