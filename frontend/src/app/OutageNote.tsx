import { IconAlertCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useOutage } from "@/components/answer/outage";
import { RefreshButton } from "@/components/answer/RefreshButton";

/** Tells a failure that several parts of the page share, once, above all of them. */
export function OutageNote() {
  const queries = useQueryClient();
  const outage = useOutage();
  if (outage === null) return null;
  const retry = () =>
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
  return (
    <div className="outage">
      <IconAlertCircle size={18} aria-hidden />
      <p>
        <strong>
          {outage.isForbidden ? "Not shown to your role:" : "Parts of this page could not be read:"}
        </strong>{" "}
        {outage.reason}
        {outage.requestId !== null && (
          <span className="outage-request">
            Request <code>{outage.requestId}</code>
          </span>
        )}
      </p>
      {!outage.isForbidden && <RefreshButton label="Retry" onRefresh={retry} />}
    </div>
  );
}
