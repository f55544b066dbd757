import "@/components/form/form.css";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { saveView, VIEWS_PAGE, viewsQuery } from "@/api/personal";
import { ApiProblem, reasonOf } from "@/api/problem";
import { sameView } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { Check } from "@/components/form/Check";
import { useSessionState } from "@/components/form/useSessionState";

const LONGEST = 60;
const EMPTY = { name: "", isDefault: false };

/** Saves what the page shows now under a name. */
export function SaveViewForm({ query }: { query: string }) {
  const queries = useQueryClient();
  const [{ name, isDefault }, change, forget] = useSessionState("save view", EMPTY);
  const view = { name: name.trim(), query, is_default: isDefault };
  const order = useMutation({
    mutationFn: () => saveView(view),
    onSuccess: () => {
      change(EMPTY);
      forget();
      return queries.invalidateQueries({ queryKey: viewsQuery.queryKey });
    },
  });
  return (
    <form
      className="view-form"
      aria-label="Save this view"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") order.mutate();
      }}
    >
      <TextInput
        size="xs"
        label="Save this view as"
        description="Filter, order, columns, figures and time range"
        value={name}
        maxLength={LONGEST}
        autoComplete="off"
        error={order.error === null ? undefined : reasonFor(order.error)}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Check
        label="Use as the default view"
        isChecked={isDefault}
        onChange={(isDefault) => change({ isDefault })}
      />
      {view.name !== "" && <ByHandNote same={sameView({ ...view, page: VIEWS_PAGE })} />}
      <Button type="submit" size="xs" disabled={name.trim() === ""} loading={order.isPending}>
        Save the view
      </Button>
    </form>
  );
}

function reasonFor(error: Error): string {
  return (error instanceof ApiProblem ? error.fields.name : undefined) ?? reasonOf(error);
}
