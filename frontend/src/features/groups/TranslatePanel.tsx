import "@/components/form/form.css";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconArrowsExchange, IconX } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { groupPlacesQuery, translateOffset } from "@/api/groups";
import type { FlowAddress } from "@/api/queries";
import type { PartitionPlace, PlaceToTranslate } from "@/api/types";
import { ByHandNote } from "@/components/form/ByHandNote";
import { ErrorState } from "@/components/states";
import { TranslatedOffset } from "@/features/groups/TranslatedOffset";
import { type Direction, placeOf, type Question, sameTranslation } from "@/features/groups/translate";
import { wholeNumber } from "@/lib/words";

interface TranslatePanelProps {
  flow: FlowAddress;
  group: string;
  onClose: () => void;
}

/** Translates any offset of a topic to the other cluster; it begins with the first commit of the group. */
export function TranslatePanel({ flow, group, onClose }: TranslatePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { data: places } = useQuery(groupPlacesQuery(flow, group));
  const [typed, setTyped] = useState<Partial<Question>>({});
  const answer = useMutation({ mutationFn: (place: PlaceToTranslate) => translateOffset(flow, place) });
  useEffect(() => heading.current?.focus(), []);
  const question = { ...firstQuestion(places?.partitions ?? []), ...typed };
  const place = placeOf(question);
  const change = (part: Partial<Question>) => {
    setTyped({ ...typed, ...part });
    answer.reset();
  };
  return (
    <section className="sync-panel" aria-label={`Translation of offsets of ${group}`}>
      <header>
        <h3 ref={heading} tabIndex={-1}>
          Translate an offset to the other cluster
        </h3>
        <Button size="xs" variant="default" leftSection={<IconX size={14} aria-hidden />} onClick={onClose}>
          Close
        </Button>
      </header>
      <form
        className="translate-form"
        aria-label="Offset to translate"
        onSubmit={(event) => {
          event.preventDefault();
          if (place !== null) answer.mutate(place);
        }}
      >
        <PlaceFields flow={flow} question={question} places={places?.partitions ?? []} change={change} />
        <Button
          type="submit"
          size="xs"
          leftSection={<IconArrowsExchange size={14} aria-hidden />}
          disabled={place === null}
          loading={answer.isPending}
        >
          Translate
        </Button>
      </form>
      {answer.error !== null && (
        <ErrorState
          what="The translation"
          error={answer.error}
          onRetry={() => place !== null && answer.mutate(place)}
        />
      )}
      {answer.data !== undefined && <TranslatedOffset flow={flow} answer={answer.data} />}
      {place !== null && <ByHandNote same={sameTranslation(flow, place)} />}
    </section>
  );
}

function firstQuestion(places: readonly PartitionPlace[]): Question {
  const first = places.find(({ committed }) => committed !== null) ?? places[0];
  return {
    topic: first?.topic ?? "",
    partition: String(first?.partition ?? 0),
    offset: first?.committed == null ? "" : String(first.committed),
    direction: "to_target",
  };
}

interface PlaceFieldsProps {
  flow: FlowAddress;
  question: Question;
  places: readonly PartitionPlace[];
  change: (part: Partial<Question>) => void;
}

function PlaceFields({ flow: { source, target }, question, places, change }: PlaceFieldsProps) {
  const topicsId = useId();
  const number = (name: "partition" | "offset", label: string, example: number) => (
    <TextInput
      size="xs"
      label={label}
      inputMode="numeric"
      required
      value={question[name]}
      error={isNumber(question[name]) ? undefined : `A number such as ${example}`}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <NativeSelect
        size="xs"
        label="From"
        value={question.direction}
        data={[
          { value: "to_target", label: `${source} (source) to ${target}` },
          { value: "to_source", label: `${target} (target) to ${source}` },
        ]}
        onChange={(event) => change({ direction: event.currentTarget.value as Direction })}
      />
      <TextInput
        size="xs"
        label="Topic"
        list={topicsId}
        required
        value={question.topic}
        onChange={(event) => change({ topic: event.currentTarget.value })}
      />
      <datalist id={topicsId}>
        {[...new Set(places.map(({ topic }) => topic))].map((topic) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
      {number("partition", "Partition", 0)}
      {number("offset", "Offset", 1200)}
    </>
  );
}

function isNumber(text: string): boolean {
  return text.trim() === "" || wholeNumber(text) !== null;
}
