import { Button } from "@mantine/core";
import { useState } from "react";
import { RestartForm } from "@/features/drivers/RestartForm";

/** Restarts the processes of a driver, with a reason. */
export function RestartButton({ driver }: { driver: string }) {
  const [isAsking, setAsking] = useState(false);
  const [isOrdered, setOrdered] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Restart {driver}
      </Button>
      {isOrdered && (
        <span className="muted" role="status">
          Restart ordered
        </span>
      )}
      {isAsking && (
        <RestartForm driver={driver} onOrdered={() => setOrdered(true)} onClose={() => setAsking(false)} />
      )}
    </>
  );
}
