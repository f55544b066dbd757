import { NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { restartDriver } from "@/api/drivers";
import { driversQuery } from "@/api/queries";
import { sameRestart } from "@/components/by-hand/actions";
import { type ReasonedOrder, ReasonForm } from "@/features/drivers/ReasonForm";

const WAITS = [
  { value: "30000", label: "30 seconds" },
  { value: "60000", label: "1 minute" },
  { value: "300000", label: "5 minutes" },
];

interface RestartFormProps {
  driver: string;
  onOrdered: () => void;
  onClose: () => void;
}

/** The form that restarts the processes of a driver; their tasks wait for them. */
export function RestartForm({ driver, onOrdered, onClose }: RestartFormProps) {
  const [wait, setWait] = useState("60000");
  const queries = useQueryClient();
  const order = useMutation({
    mutationFn: ({ reason }: ReasonedOrder) => restartDriver(driver, reason, Number(wait)),
    onSuccess: (_, { forget }) => {
      forget();
      onOrdered();
      return queries.invalidateQueries({ queryKey: driversQuery.queryKey });
    },
  });
  return (
    <ReasonForm
      title={`Restart ${driver}`}
      effect="Each process exits, and its supervisor, such as systemd, starts it again."
      confirm={`Restart ${driver}`}
      isPending={order.isPending}
      error={order.error}
      same={(reason) => sameRestart(driver, reason, Number(wait))}
      onOrder={(reasoned) => order.mutate(reasoned)}
      onCancel={onClose}
    >
      <NativeSelect
        size="xs"
        label="Grace period"
        description="Its tasks move to other drivers if it is not back by then."
        data={WAITS}
        value={wait}
        onChange={(event) => setWait(event.currentTarget.value)}
      />
    </ReasonForm>
  );
}
