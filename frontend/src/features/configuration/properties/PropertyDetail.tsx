import { Button } from "@mantine/core";
import { IconArrowBackUp, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "@/api/personal";
import { meQuery } from "@/api/queries";
import type { KnownKey } from "@/api/types";
import { sameProperty } from "@/components/by-hand/actions";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { FormProblem } from "@/components/form/FormProblem";
import { Findings } from "@/features/configuration/Findings";
import { KeyFacts } from "@/features/configuration/keys/KeyFacts";
import { knownKeyOf, refusal } from "@/features/configuration/properties/keys";
import { bareName, type Row } from "@/features/configuration/properties/levels";
import { Shown } from "@/features/configuration/properties/PropertyTable";
import { editedList } from "@/features/configuration/properties/patterns/flow-patterns";
import { isBeingEdited, ValueForm } from "@/features/configuration/properties/ValueForm";
import {
  useChangeOfDraft,
  useDraftRefusal,
  useOpenDraft,
  useUndoInDraft,
} from "@/features/configuration/useDraft";
import { focusInPlace } from "@/lib/view/focus";
import { plainText } from "@/lib/words";

interface PropertyDetailProps {
  row: Row;
  all: readonly Row[];
  table: ReadonlyMap<string, KnownKey>;
}

/** What is known of a property and its key, who else sets it, and its changes in the draft. */
export function PropertyDetail({ row, all, table }: PropertyDetailProps) {
  const known = knownKeyOf(row.name, table);
  const open = useOpenDraft();
  const findings = open?.draft?.findings.filter(({ key }) => key === row.key) ?? [];
  return (
    <div className="property-detail">
      {known?.description && <p>{plainText(known.description)}</p>}
      {known?.why && <p>{plainText(known.why)}</p>}
      <KeyFacts known={known} />
      {(row.change?.comment || row.property?.comment) && (
        <p className="config-comment">
          <span className="muted">Comment:</span> {row.change?.comment ?? row.property?.comment}
        </p>
      )}
      <Findings findings={findings} />
      <Changes row={row} known={known} />
      <Others row={row} all={all} />
    </div>
  );
}

function Changes({ row, known }: { row: Row; known: KnownKey | undefined }) {
  const [isEditing, setEditing] = useState(() => isBeingEdited(row.key));
  const [isEdited, setEdited] = useState(false);
  const { data: me } = useQuery(meQuery);
  const mayChange = useMay("flows.change");
  const open = useOpenDraft();
  const draftRefusal = useDraftRefusal(open);
  const change = useChangeOfDraft(open);
  const undo = useUndoInDraft(open);
  const isSecret = row.property?.is_secret ?? known?.is_secret ?? false;
  if (me === undefined || !mayChange) return null;
  const why = draftRefusal ?? refusal(row, known, isSecret, me.permissions);
  // What was typed before another row was opened is still there.
  if (isEditing) {
    return (
      <ValueForm
        propertyKey={row.key}
        list={editedList(row, known)}
        known={known}
        isSecret={isSecret}
        value={row.change?.value ?? row.property?.value ?? ""}
        comment={row.change?.comment ?? row.property?.comment ?? ""}
        onDone={() => {
          setEditing(false);
          setEdited(true);
        }}
      />
    );
  }
  const isBusy = change.isPending || undo.isPending;
  return (
    <>
      <div className="form-buttons">
        {row.state !== "removed" && (
          <Button
            size="xs"
            variant="default"
            ref={isEdited ? focusInPlace : undefined}
            disabled={why !== null || isBusy}
            leftSection={<IconPencil size={14} aria-hidden />}
            onClick={() => setEditing(true)}
          >
            Edit the value
          </Button>
        )}
        {row.state === "same" && (
          <>
            <Button
              size="xs"
              variant="default"
              disabled={why !== null}
              loading={change.isPending}
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={() => change.mutate({ key: row.key, value: null })}
            >
              Remove the property
            </Button>
            <CommandsButton label="Command and request of the removal">
              <CallsToCopy same={sameProperty(row.key, null, "")} />
            </CommandsButton>
          </>
        )}
        {row.state !== "same" && (
          <Button
            size="xs"
            variant="default"
            disabled={draftRefusal !== null}
            loading={undo.isPending}
            leftSection={<IconArrowBackUp size={14} aria-hidden />}
            onClick={() => undo.mutate(row.key)}
          >
            Take the change out of the draft
          </Button>
        )}
        {why !== null && <span className="muted">{why}</span>}
      </div>
      <FormProblem error={change.error ?? undo.error} />
    </>
  );
}

/** The other places that set the same key. */
function Others({ row, all }: { row: Row; all: readonly Row[] }) {
  const bare = bareName(row.name);
  const others = all.filter((other) => other.key !== row.key && bareName(other.name) === bare);
  return (
    <div className="property-others">
      <p>
        <strong>Other properties that set {bare}</strong>{" "}
        <Link
          to="/configuration/keys"
          search={({ from, to, draft }) => ({ from, to, draft, key: bare })}
          className="property-link"
        >
          Values of every flow
        </Link>
      </p>
      {others.length === 0 && <p className="muted">None</p>}
      {others.length > 0 && (
        <ul className="setters">
          {others.map((other) => (
            <li key={other.key}>
              <Link
                to="."
                search={(search) => ({ ...search, at: undefined, q: undefined, key: other.key })}
                resetScroll={false}
              >
                <code>{other.key}</code>
              </Link>{" "}
              <Shown value={other.change?.value ?? other.property?.value ?? ""} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
