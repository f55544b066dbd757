import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { drainQuery } from "@/api/drivers";
import { Timestamp } from "@/components/Timestamp";
import { DrainForm, type DrainOrder } from "@/features/drivers/DrainForm";
import { plural } from "@/lib/format";

interface DrainCellProps {
  driver: string;
  /** true when one of its processes reports that it is drained */
  isDrained: boolean;
  mayAct: boolean;
}

/** The drain of a driver: its reason and progress, and for operators the orders. */
export function DrainCell({ driver, isDrained, mayAct }: DrainCellProps) {
  const [asked, setAsked] = useState<DrainOrder | null>(null);
  const { data } = useQuery({ ...drainQuery(driver), enabled: isDrained || asked !== null });
  const drain = data?.drain ?? null;
  const close = () => setAsked(null);
  const form = asked !== null && (
    <DrainForm driver={driver} order={asked} onOrdered={close} onClose={close} />
  );
  if (isDrained || drain !== null) {
    return (
      <>
        {drain !== null && (
          <p>
            {drain.reason === "" ? "Drained" : drain.reason}, by {drain.by}
            {drain.expires_ms !== null && (
              <>
                , until <Timestamp time_ms={drain.expires_ms} />
              </>
            )}
          </p>
        )}
        {data !== undefined && (
          <p className="muted" role="status">
            {data.drained ? "No tasks left" : `${plural(data.tasks, "task")} left`}
          </p>
        )}
        {mayAct && (
          <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setAsked("undrain")}>
            Undrain {driver}
          </Button>
        )}
        {form}
      </>
    );
  }
  if (!mayAct) return null;
  return (
    <>
      <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setAsked("drain")}>
        Drain {driver}
      </Button>
      {form}
    </>
  );
}
