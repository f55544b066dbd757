import { isPage } from "@/components/description/description";

/** The runbook of a cluster or a flow: a link to a web page, or the text of another address. */
export function RunbookLink({ runbook }: { runbook: string }) {
  if (runbook === "") return <span className="muted">none</span>;
  if (!isPage(runbook)) return <>{runbook}</>;
  return (
    <a href={runbook} title={runbook} rel="noreferrer noopener" target="_blank">
      Open the runbook
    </a>
  );
}
