import { useMutation, useQueryClient } from "@tanstack/react-query";
import { drainDriver, drainQuery, undrainDriver } from "@/api/drivers";
import { driversQuery } from "@/api/queries";
import { sameDrain, sameUndrain } from "@/components/by-hand/actions";
import { ReasonForm } from "@/features/drivers/ReasonForm";

export type DrainOrder = "drain" | "undrain";

const ORDERS = {
  drain: { word: "Drain", effect: "Its tasks move to other drivers.", send: drainDriver, same: sameDrain },
  undrain: {
    word: "Undrain",
    effect: "It takes tasks again, which move to it when the load is balanced.",
    send: undrainDriver,
    same: sameUndrain,
  },
} as const;

interface DrainFormProps {
  driver: string;
  order: DrainOrder;
  onClose: () => void;
}

/** The form that drains a driver, or ends its drain. */
export function DrainForm({ driver, order, onClose }: DrainFormProps) {
  const { word, effect, send, same } = ORDERS[order];
  const queries = useQueryClient();
  const given = useMutation({
    mutationFn: (reason: string) => send(driver, reason) as Promise<unknown>,
    onSuccess: onClose,
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
      same={(reason) => same(driver, reason)}
      onOrder={(reason) => given.mutate(reason)}
      onCancel={onClose}
    />
  );
}
