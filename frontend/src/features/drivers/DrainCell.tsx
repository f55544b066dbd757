import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { drainDriver, drainQuery, undrainDriver } from "@/api/drivers";
import { reasonOf } from "@/api/problem";
import { driversQuery } from "@/api/queries";
import { sameDrain, sameUndrain } from "@/components/by-hand/actions";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { plural } from "@/lib/format";
import { ReasonForm } from "./ReasonForm";

interface DrainCellProps {
  driver: string;
  /** true when one of its processes reports that it is drained */
  isDrained: boolean;
  mayAct: boolean;
}

/** The drain of a driver: its reason and progress, and for operators the orders. */
export function DrainCell({ driver, isDrained, mayAct }: DrainCellProps) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const { data } = useQuery({ ...drainQuery(driver), enabled: isDrained || isAsking });
  const onSettled = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: drainQuery(driver).queryKey }),
      queries.invalidateQueries({ queryKey: driversQuery.queryKey }),
    ]);
  const undrain = useMutation({ mutationFn: () => undrainDriver(driver), onSettled });
  const drain = data?.drain ?? null;
  if (isDrained || drain !== null) {
    return (
      <>
        {drain !== null && (
          <p>
            {drain.reason === "" ? "Drained" : drain.reason}, by {drain.by}
          </p>
        )}
        {data !== undefined && (
          <p className="muted" role="status">
            {data.drained ? "No tasks left" : `${plural(data.tasks, "task")} left`}
          </p>
        )}
        {undrain.error !== null && <p role="alert">{reasonOf(undrain.error)}</p>}
        {mayAct && (
          <>
            <Button size="xs" variant="default" loading={undrain.isPending} onClick={() => undrain.mutate()}>
              Undrain {driver}
            </Button>
            <CommandsButton label={`Command and request that undrain ${driver}`}>
              <CallsToCopy same={sameUndrain(driver)} />
            </CommandsButton>
          </>
        )}
      </>
    );
  }
  if (!mayAct) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        Drain {driver}
      </Button>
      {isAsking && <DrainForm driver={driver} onClose={() => setAsking(false)} onSettled={onSettled} />}
    </>
  );
}

interface DrainFormProps {
  driver: string;
  onClose: () => void;
  onSettled: () => Promise<unknown>;
}

function DrainForm({ driver, onClose, onSettled }: DrainFormProps) {
  const order = useMutation({ mutationFn: (reason: string) => drainDriver(driver, reason), onSettled });
  return (
    <ReasonForm
      title={`Drain ${driver}`}
      effect="Its tasks move to other drivers."
      confirm={`Drain ${driver}`}
      isPending={order.isPending}
      error={order.error}
      same={(reason) => sameDrain(driver, reason)}
      onOrder={(reason) => order.mutate(reason)}
      onCancel={onClose}
    />
  );
}
