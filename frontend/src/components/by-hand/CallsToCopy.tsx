import "@/components/by-hand/by-hand.css";
import "@/components/form/form.css";
import { CopyText } from "@/components/copy/CopyText";
import type { ByHand } from "@/lib/by-hand";

/** A command, if there is one, and a request, each with a button that copies it. */
export function CallsToCopy({ same: { command, request } }: { same: ByHand }) {
  return (
    <div className="list-commands">
      {command !== null && <CopyText label={`Command of ${command.split(" ", 1)[0]}`} text={command} />}
      <CopyText label="REST request" text={request} />
    </div>
  );
}
