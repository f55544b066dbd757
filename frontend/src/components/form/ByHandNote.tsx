import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import type { ByHand } from "@/lib/by-hand";

/** The same as a command and as a request, with buttons that copy them. */
export function ByHandNote({ same }: { same: ByHand }) {
  return (
    <details className="by-hand-note">
      <summary>The same as a {same.command === null ? "request" : "command"}</summary>
      <CallsToCopy same={same} />
    </details>
  );
}
