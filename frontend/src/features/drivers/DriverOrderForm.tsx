import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { driversQuery } from "@/api/queries";
import { Dialog } from "@/components/dialog/Dialog";
import { DrainForm, type DrainOrder } from "@/features/drivers/DrainForm";
import { RestartForm } from "@/features/drivers/RestartForm";
import { RestartProgress, useRestarted } from "@/features/drivers/RestartProgress";

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
  return order === "restart" ? <Restart {...ordered} /> : <DrainForm order={order} {...ordered} />;
}

/** The form of a restart, then its progress until it is closed. */
function Restart({ driver, onClose }: OrderedProps) {
  useQuery(driversQuery); // the processes of before are known when the restart is ordered
  const { before, remember } = useRestarted(driver);
  if (before === null) return <RestartForm driver={driver} onOrdered={remember} onClose={onClose} />;
  return (
    <Dialog label={`Restart of ${driver}`} onClose={onClose}>
      <p>
        <strong>Restart of {driver}</strong>
      </p>
      <p>
        <RestartProgress before={before} />
      </p>
      <Button size="xs" variant="default" onClick={onClose}>
        Close
      </Button>
    </Dialog>
  );
}
