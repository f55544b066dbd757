import { Button } from "@mantine/core";
import { useState } from "react";
import { LinkButton } from "@/components/form/LinkButton";

interface DiscardFlowProps {
  /** true while nothing has been entered */
  isEmpty: boolean;
  onDiscard: () => void;
}

/** Leaves the form of a new flow and deletes what was entered, after a question. */
export function DiscardFlow({ isEmpty, onDiscard }: DiscardFlowProps) {
  const [isAsking, setAsking] = useState(false);
  if (isEmpty)
    return (
      <LinkButton variant="subtle" className="push" to="/replications" onClick={onDiscard}>
        Discard
      </LinkButton>
    );
  if (!isAsking)
    return (
      <Button variant="subtle" className="push" onClick={() => setAsking(true)}>
        Discard
      </Button>
    );
  return (
    <>
      <span className="push" role="status">
        This deletes what you entered in all steps.
      </span>
      <LinkButton className="form-danger" to="/replications" onClick={onDiscard}>
        Discard the flow
      </LinkButton>
      <Button variant="default" onClick={() => setAsking(false)}>
        Keep the flow
      </Button>
    </>
  );
}
