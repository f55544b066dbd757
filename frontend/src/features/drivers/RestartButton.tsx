import { Button, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { restartDriver } from "@/api/drivers";
import { driversQuery } from "@/api/queries";
import { sameRestart } from "@/components/by-hand/actions";
import { ReasonForm } from "./ReasonForm";

const WAITS = [
  { value: "30000", label: "30 seconds" },
  { value: "60000", label: "1 minute" },
  { value: "300000", label: "5 minutes" },
];

/** Restarts the processes of a driver, with a reason; their tasks wait for them. */
export function RestartButton({ driver }: { driver: string }) {
  const [isAsking, setAsking] = useState(false);
  const [wait, setWait] = useState("60000");
  const queries = useQueryClient();
  const order = useMutation({
    mutationFn: (reason: string) => restartDriver(driver, reason, Number(wait)),
    onSuccess: () => {
      setAsking(false);
      return queries.invalidateQueries({ queryKey: driversQuery.queryKey });
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        Restart {driver}
      </Button>
      {order.isSuccess && (
        <span className="muted" role="status">
          Restart ordered
        </span>
      )}
      {isAsking && (
        <ReasonForm
          title={`Restart ${driver}`}
          effect="Each process exits, and its supervisor, such as systemd, starts it again."
          confirm={`Restart ${driver}`}
          isPending={order.isPending}
          error={order.error}
          same={(reason) => sameRestart(driver, reason, Number(wait))}
          onOrder={(reason) => order.mutate(reason)}
          onCancel={() => setAsking(false)}
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
      )}
    </>
  );
}
