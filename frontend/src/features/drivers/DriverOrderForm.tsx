import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { drainQuery } from "@/api/drivers";
import { driversQuery } from "@/api/queries";
import { Dialog } from "@/components/dialog/Dialog";
import { DrainForm, type DrainOrder } from "@/features/drivers/DrainForm";
import { RestartForm } from "@/features/drivers/RestartForm";
import { RestartProgress, useRestarted } from "@/features/drivers/RestartProgress";
import { plural } from "@/lib/format";

export type DriverOrder = DrainOrder | "restart";

export interface WantedDriverOrder {
  driver: string;
  order: DriverOrder;
}

interface OrderedProps {
  driver: string;
  onClose: () => void;
}

/** The form of an order to a driver over any page. */
export default function DriverOrderForm({ order, ...ordered }: WantedDriverOrder & OrderedProps) {
  return order === "restart" ? <Restart {...ordered} /> : <Drain order={order} {...ordered} />;
}

/** The form of a drain or its end, then its progress until it is closed. */
function Drain({ driver, order, onClose }: OrderedProps & { order: DrainOrder }) {
  const [isOrdered, setOrdered] = useState(false);
  if (!isOrdered)
    return <DrainForm driver={driver} order={order} onOrdered={() => setOrdered(true)} onClose={onClose} />;
  const title = `${order === "drain" ? "Drain" : "Undrain"} ${driver}`;
  return (
    <Result title={title} onClose={onClose}>
      <span className="muted" role="status">
        {order === "drain" ? <TasksLeft driver={driver} /> : `${driver} takes tasks again.`}
      </span>
    </Result>
  );
}

function TasksLeft({ driver }: { driver: string }) {
  const { data } = useQuery(drainQuery(driver));
  if (data === undefined) return "Drain ordered";
  return data.drained ? "Drain ordered: no tasks left" : `Drain ordered: ${plural(data.tasks, "task")} left`;
}

/** The form of a restart, then its progress until it is closed. */
function Restart({ driver, onClose }: OrderedProps) {
  useQuery(driversQuery); // the processes of before are known when the restart is ordered
  const { before, remember } = useRestarted(driver);
  if (before === null) return <RestartForm driver={driver} onOrdered={remember} onClose={onClose} />;
  return (
    <Result title={`Restart of ${driver}`} onClose={onClose}>
      <RestartProgress before={before} />
    </Result>
  );
}

interface ResultProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** The result of an order in place of its form. */
function Result({ title, onClose, children }: ResultProps) {
  return (
    <Dialog label={title} onClose={onClose}>
      <p>
        <strong>{title}</strong>
      </p>
      <p>{children}</p>
      <Button size="xs" variant="default" data-autofocus onClick={onClose}>
        Close
      </Button>
    </Dialog>
  );
}
