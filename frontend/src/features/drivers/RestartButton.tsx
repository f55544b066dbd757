import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { restartDriver } from "@/api/drivers";
import { reasonOf } from "@/api/problem";
import { driversQuery } from "@/api/queries";

const WAITS = [
  { value: "30000", label: "30 seconds" },
  { value: "60000", label: "1 minute" },
  { value: "300000", label: "5 minutes" },
];

/** Restarts the processes of a driver, with a reason; their tasks wait for them. */
export function RestartButton({ driver }: { driver: string }) {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const [wait, setWait] = useState("60000");
  const queries = useQueryClient();
  const order = useMutation({
    mutationFn: () => restartDriver(driver, reason, Number(wait)),
    onSuccess: () => {
      setAsking(false);
      return queries.invalidateQueries({ queryKey: driversQuery.queryKey });
    },
  });
  if (!isAsking) {
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
      </>
    );
  }
  return (
    <form
      aria-label={`Restart of ${driver}`}
      onSubmit={(event) => {
        event.preventDefault();
        order.mutate();
      }}
    >
      <TextInput
        size="xs"
        label="Reason"
        description="Each process ends and is started again by what supervises it"
        value={reason}
        maxLength={500}
        error={order.error && reasonOf(order.error)}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        label="Its tasks wait for it"
        data={WAITS}
        value={wait}
        onChange={(event) => setWait(event.currentTarget.value)}
      />
      <Button.Group>
        <Button size="xs" type="submit" loading={order.isPending}>
          Restart its processes
        </Button>
        <Button size="xs" variant="default" disabled={order.isPending} onClick={() => setAsking(false)}>
          Cancel
        </Button>
      </Button.Group>
    </form>
  );
}
