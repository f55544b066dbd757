import { Button } from "@mantine/core";
import { useState } from "react";
import { RestartForm } from "@/features/drivers/RestartForm";
import { RestartProgress, useRestarted } from "@/features/drivers/RestartProgress";

/** Restarts the processes of a driver, with a reason, and shows how many have restarted. */
export function RestartButton({ driver }: { driver: string }) {
  const [isAsking, setAsking] = useState(false);
  const { before, remember } = useRestarted(driver);
  const onOrdered = () => {
    remember();
    setAsking(false);
  };
  return (
    <>
      <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Restart {driver}
      </Button>
      {before !== null && <RestartProgress before={before} />}
      {isAsking && <RestartForm driver={driver} onOrdered={onOrdered} onClose={() => setAsking(false)} />}
    </>
  );
}
