import { Button, TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import type { ByHand } from "@/lib/by-hand";

interface ConfirmByNameProps {
  title: string;
  effect: ReactNode;
  /** what has to be typed */
  name: string;
  submit: string;
  /** why it cannot be done now; null: it can */
  why?: string | null;
  isPending: boolean;
  error: Error | null;
  /** the same as a command and a request, to copy */
  same: ByHand;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for the name of what is destroyed before the button works. */
export function ConfirmByName({ why = null, ...props }: ConfirmByNameProps) {
  const [typed, setTyped] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isReady = why === null && typed.trim() === props.name;
  return (
    <form
      className="card form-panel"
      aria-label={props.title}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !props.isPending) props.onConfirm();
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        {props.title}
      </h2>
      <p className="muted">{props.effect}</p>
      <TextInput
        label={`Type ${props.name} to confirm`}
        value={typed}
        autoComplete="off"
        className="form-short"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <ByHandNote same={props.same} />
      <FormProblem error={props.error} />
      <div className="form-buttons">
        <Button type="submit" className="form-danger" disabled={!isReady} loading={props.isPending}>
          {props.submit}
        </Button>
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        {why !== null && (
          <span role="status" className="muted">
            {why}
          </span>
        )}
      </div>
    </form>
  );
}
