import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef } from "react";
import { meQuery } from "@/api/queries";
import type { KnownKey } from "@/api/types";
import { sameProperty } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { useSessionState } from "@/components/form/useSessionState";
import { knownKeyOf, refusal } from "@/features/configuration/properties/keys";
import { placeOf } from "@/features/configuration/properties/levels";
import { editedList } from "@/features/configuration/properties/patterns/flow-patterns";
import { PatternField } from "@/features/configuration/properties/patterns/PatternField";
import { ValueField } from "@/features/configuration/properties/ValueField";
import { refusedValue } from "@/features/configuration/requests";
import { useChangeOfDraft, useDraftOrder, useOpenDraft } from "@/features/configuration/useDraft";
import { mayBeSecret } from "@/lib/stored/secrets";

interface NewPropertyProps {
  aliases: readonly string[];
  flows: readonly string[];
  dialect: string;
  /** the start of the full key at the chosen place */
  base: string;
  table: ReadonlyMap<string, KnownKey>;
  onClose: () => void;
}

/** A property that the draft adds: its place, its key with what is known of it, and its value. */
export function NewProperty(props: NewPropertyProps) {
  const { aliases, flows, dialect, table, onClose } = props;
  const [form, type, forget] = useSessionState(
    "new property",
    { base: props.base, name: "", value: "", comment: "" },
    withoutSecret,
  );
  const { base, name, value, comment } = form;
  const end = () => {
    forget();
    onClose();
  };
  const heading = useRef<HTMLHeadingElement>(null);
  const listId = useId();
  const open = useOpenDraft();
  const change = useChangeOfDraft(open);
  const order = useDraftOrder(open);
  const { data: me } = useQuery(meQuery);
  useEffect(() => heading.current?.focus(), []);
  const key = base + name.trim();
  const place = placeOf(key, aliases, dialect);
  const known = knownKeyOf(place.name, table);
  const isSecret = known?.is_secret ?? false;
  const why = name.trim() === "" ? null : refusal(place, known, isSecret, me?.permissions ?? []);
  const list = editedList(place, known);
  const refused = refusedValue(change.error, key);
  const isOfValue = change.variables?.value === value;
  const field = {
    ...{ known, isSecret, isNamed: name.trim() !== "", value },
    onChange: (value: string) => type({ value }),
    error: isOfValue ? refused : undefined,
  };
  const send = () => change.mutate({ key, value, comment }, { onSuccess: end });
  return (
    <form
      className="form-panel property-new"
      aria-label="Add a property"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "" && why === null && !change.isPending) send();
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Add a property
      </h2>
      <div className="form-fields">
        <NativeSelect
          label="Place"
          description="The most specific level that sets a key wins"
          data={placesOf(aliases, flows, dialect, props.base)}
          value={base}
          onChange={(event) => type({ base: event.currentTarget.value })}
        />
        <TextInput
          label="Key"
          description={known === undefined ? "Without the name of its level" : <KnownHint known={known} />}
          className="mono"
          list={listId}
          value={name}
          onChange={(event) => type({ name: event.currentTarget.value })}
        />
        <datalist id={listId}>
          {[...table.keys()].map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        {list === null ? <ValueField {...field} /> : <PatternField {...field} list={list} />}
        <TextInput
          label="Comment"
          description="Stored with the property, and written above it in an export"
          value={comment}
          maxLength={500}
          onChange={(event) => type({ comment: event.currentTarget.value })}
        />
      </div>
      {why !== null && <p className="muted">{why}</p>}
      {name.trim() !== "" && <ByHandNote same={sameProperty(key, isSecret ? "SECRET" : value, comment)} />}
      <FormProblem error={refused === undefined ? change.error : null} />
      <div className="form-buttons">
        <Button
          size="xs"
          type="submit"
          disabled={name.trim() === "" || why !== null}
          loading={change.isPending}
        >
          {order}
        </Button>
        <Button size="xs" variant="default" onClick={end}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function KnownHint({ known }: { known: KnownKey }) {
  const text = known.description || known.why || `A key of ${known.owner}`;
  return <>{text}</>;
}

function placesOf(aliases: readonly string[], flows: readonly string[], dialect: string, chosen: string) {
  const options = [
    { value: "", label: "Global" },
    ...(dialect === "mm2"
      ? []
      : [
          { value: "workers.", label: "Workers" },
          { value: "connectors.", label: "Connectors" },
        ]),
    ...aliases.map((alias) => ({ value: `${alias}.`, label: `Cluster ${alias}` })),
    ...flows.map((flow) => ({ value: `${flow}.`, label: `Flow ${flow.replace("->", " → ")}` })),
  ];
  return options.some(({ value }) => value === chosen)
    ? options
    : [{ value: chosen, label: chosen.replace("->", " → ") }, ...options];
}

interface TypedProperty {
  base: string;
  name: string;
  value: string;
  comment: string;
}

/** A value is kept once its key is typed and names no secret. */
function withoutSecret({ value, ...kept }: TypedProperty): Partial<TypedProperty> {
  const isSafe = kept.name.trim() !== "" && !mayBeSecret(kept.name);
  return isSafe ? { ...kept, value } : kept;
}
