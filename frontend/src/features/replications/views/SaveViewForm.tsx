import "@/components/form/form.css";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { saveView, VIEWS_PAGE, viewsQuery } from "@/api/personal";
import { ApiProblem, reasonOf } from "@/api/problem";
import { sameView } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { Check } from "@/components/form/Check";

const LONGEST = 60;

/** Saves what the page shows now under a name. */
export function SaveViewForm({ query }: { query: string }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [isDefault, setDefault] = useState(false);
  const view = { name: name.trim(), query, is_default: isDefault };
  const order = useMutation({
    mutationFn: () => saveView(view),
    onSuccess: () => {
      setName("");
      setDefault(false);
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
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Check label="Use as the default view" isChecked={isDefault} onChange={setDefault} />
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
