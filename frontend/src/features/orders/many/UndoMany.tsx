import { Button } from "@mantine/core";
import { NamesOf } from "@/features/orders/many/NamesOf";
import { useConfirmation } from "@/features/orders/many/useConfirmation";
import { plural } from "@/lib/format";

interface UndoManyProps {
  one: string;
  /** of the things that have changed */
  names: readonly string[];
  /** true: the action that takes it back is one that names confirm */
  needsName: boolean;
  isPending: boolean;
  onUndo: () => void;
}

/** Takes back an action on several things; what it does is confirmed as if it were asked for. */
export function UndoMany({ one, names, needsName, isPending, onUndo }: UndoManyProps) {
  const { isTyped, fields } = useConfirmation(one, names);
  const isReady = !needsName || isTyped;
  return (
    <form
      className="many many-undo"
      aria-label={`Undo for the changed ${one}s`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isPending) onUndo();
      }}
    >
      {needsName && names.length > 1 && <NamesOf label={`The changed ${one}s`} names={names} />}
      {needsName && <div className="many-fields">{fields}</div>}
      <Button size="xs" variant="default" type="submit" disabled={!isReady} loading={isPending}>
        Undo for {plural(names.length, one)}
      </Button>
    </form>
  );
}
