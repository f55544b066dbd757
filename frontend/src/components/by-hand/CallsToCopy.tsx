import "@/components/by-hand/by-hand.css";
import "@/components/form/form.css";
import { CopyText } from "@/components/form/CopyText";
import type { ByHand } from "@/lib/by-hand";

/** A command and a request, each with a button that copies it. */
export function CallsToCopy({ same: { command, request } }: { same: ByHand }) {
  return (
    <div className="list-commands">
      <CopyText label={`Command of ${command.split(" ", 1)[0]}`} text={command} />
      <CopyText label="REST request" text={request} />
    </div>
  );
}
