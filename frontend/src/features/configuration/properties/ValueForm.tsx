import { Button, TextInput } from "@mantine/core";
import type { KnownKey } from "@/api/types";
import { sameProperty } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { isKept, useSessionState } from "@/components/form/useSessionState";
import { HIDDEN } from "@/features/configuration/properties/keys";
import type { EditedList } from "@/features/configuration/properties/patterns/flow-patterns";
import { PatternField } from "@/features/configuration/properties/patterns/PatternField";
import { ValueField } from "@/features/configuration/properties/ValueField";
import { refusedValue } from "@/features/configuration/requests";
import { useChangeOfDraft, useDraftOrder, useOpenDraft } from "@/features/configuration/useDraft";
import { mayBeSecret } from "@/lib/stored/secrets";

interface ValueFormProps {
  propertyKey: string;
  /** the list of patterns that the value is; null: it is none of a flow */
  list: EditedList | null;
  known: KnownKey | undefined;
  isSecret: boolean;
  value: string;
  comment: string;
  onDone: () => void;
}

/** A new value of a stored property; it goes into the draft. */
export function ValueForm({ propertyKey, list, known, isSecret, onDone, ...stored }: ValueFormProps) {
  const keepsValue = !isSecret && !mayBeSecret(propertyKey);
  const [{ value, comment }, type, forget] = useSessionState(
    keptUnder(propertyKey),
    { value: isSecret ? "" : stored.value, comment: stored.comment },
    keepsValue ? undefined : withoutValue,
  );
  const end = () => {
    forget();
    onDone();
  };
  const open = useOpenDraft();
  const change = useChangeOfDraft(open);
  const order = useDraftOrder(open);
  const send = () =>
    change.mutate(
      { key: propertyKey, value: isSecret && value === "" ? HIDDEN : value, comment },
      { onSuccess: end },
    );
  const refused = refusedValue(change.error, propertyKey);
  const isOfValue = change.variables?.value === value;
  const field = {
    ...{ known, isSecret, isStored: true, hasFacts: true, hasFocus: true, value },
    onChange: (value: string) => type({ value }),
    error: isOfValue ? refused : undefined,
  };
  return (
    <form
      className="form-panel property-form"
      aria-label={`Value of ${propertyKey}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isPending) send();
      }}
    >
      {list === null ? <ValueField {...field} /> : <PatternField {...field} list={list} />}
      <TextInput
        label="Comment"
        description="Stored with the property, and written above it in an export"
        value={comment}
        maxLength={500}
        onChange={(event) => type({ comment: event.currentTarget.value })}
      />
      <ByHandNote same={sameProperty(propertyKey, isSecret ? "SECRET" : value, comment)} />
      <FormProblem error={refused === undefined ? change.error : null} />
      <div className="form-buttons">
        <Button size="xs" type="submit" loading={change.isPending}>
          {order}
        </Button>
        <Button size="xs" variant="default" onClick={end}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const keptUnder = (propertyKey: string) => `property ${propertyKey}`;

/** True for a property whose new value was typed and neither sent nor cancelled. */
export const isBeingEdited = (propertyKey: string) => isKept(keptUnder(propertyKey));

const withoutValue = ({ comment }: { value: string; comment: string }) => ({ comment });
