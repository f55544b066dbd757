import { NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { drainDriver, drainQuery, undrainDriver } from "@/api/drivers";
import { driversQuery } from "@/api/queries";
import { sameDrain, sameUndrain } from "@/components/by-hand/actions";
import { type ReasonedOrder, ReasonForm } from "@/features/drivers/ReasonForm";
import { ENDS, endOf } from "@/features/orders/order";

export type DrainOrder = "drain" | "undrain";

const ORDERS = {
  drain: { word: "Drain", effect: "Its tasks move to other drivers." },
  undrain: {
    word: "Undrain",
    effect: "It takes tasks again, which move to it when the load is balanced.",
  },
} as const;

interface DrainFormProps {
  driver: string;
  order: DrainOrder;
  onOrdered: () => void;
  onClose: () => void;
}

/** The form that drains a driver, or ends its drain. */
export function DrainForm({ driver, order, onOrdered, onClose }: DrainFormProps) {
  const { word, effect } = ORDERS[order];
  const [end, setEnd] = useState("");
  const isDrain = order === "drain";
  const queries = useQueryClient();
  const given = useMutation({
    mutationFn: ({ reason }: ReasonedOrder): Promise<unknown> =>
      isDrain ? drainDriver(driver, reason, endOf(end, Date.now())) : undrainDriver(driver, reason),
    onSuccess: (_, { forget }) => {
      forget();
      onOrdered();
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: drainQuery(driver).queryKey }),
        queries.invalidateQueries({ queryKey: driversQuery.queryKey }),
      ]),
  });
  return (
    <ReasonForm
      title={`${word} ${driver}`}
      effect={effect}
      confirm={`${word} ${driver}`}
      isPending={given.isPending}
      error={given.error}
      same={(reason) =>
        isDrain ? sameDrain(driver, reason, end, endOf(end, Date.now())) : sameUndrain(driver, reason)
      }
      onOrder={(order) => given.mutate(order)}
      onCancel={onClose}
    >
      {isDrain && (
        <NativeSelect
          size="xs"
          label="Ends"
          description="When the drain ends, the driver takes tasks again"
          data={ENDS.map(({ value, label }) => ({ value, label }))}
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
        />
      )}
    </ReasonForm>
  );
}
