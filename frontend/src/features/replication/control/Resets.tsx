import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { resetsQuery } from "@/api/control";
import type { FlowAddress } from "@/api/queries";
import type { Reset } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import type { CellColumn } from "@/components/table/ColumnTable";
import { useTableView } from "@/components/table/useTableView";
import { REJECTED, RESET_STATES } from "@/features/orders/list/order-words";
import { nameOf } from "@/features/orders/many/parts";
import { EndOrder } from "@/features/orders/progress/EndOrder";
import { WithdrawReset } from "@/features/orders/progress/WithdrawReset";
import { PLACE_COLUMNS, TopicOrders } from "@/features/replication/control/TopicOrders";
import { exactNumber } from "@/lib/format";

function resetColumns(mayAct: boolean, onWithdraw: (reset: Reset) => void): readonly CellColumn<Reset>[] {
  return [
    ...PLACE_COLUMNS,
    {
      id: "to",
      label: "Position",
      value: ({ to }) => JSON.stringify(to),
      cell: ({ to }) => <Place to={to} />,
    },
    {
      id: "state",
      label: "State",
      value: ({ state }) => state,
      cell: ({ state, rejected }) => (
        <>
          <StateBadge {...(rejected ? REJECTED : RESET_STATES[state])} />
          {rejected && <span className="reason">{rejected}</span>}
        </>
      ),
    },
    {
      id: "by",
      label: "Ordered by",
      value: ({ requested_by }) => requested_by,
      cell: ({ requested_by }) => requested_by,
    },
    {
      id: "ordered",
      label: "Ordered",
      value: ({ requested_ms }) => requested_ms,
      isNumber: true,
      cell: ({ requested_ms }) => <Timestamp time_ms={requested_ms} />,
    },
    {
      id: "ended",
      label: "Ended",
      value: ({ ended_ms }) => ended_ms,
      isNumber: true,
      cell: (reset) => (
        <>
          <Ended reset={reset} />
          {mayAct && reset.state === "requested" && (
            <EndOrder label={`Withdraw the reset of ${nameOf(reset)}`} onEnd={() => onWithdraw(reset)} />
          )}
        </>
      ),
    },
  ];
}

/** A driver reports that a reset is done up to seconds before the service records its time. */
function Ended({ reset: { state, rejected, ended_ms } }: { reset: Reset }) {
  if (ended_ms !== null) return <Timestamp time_ms={ended_ms} />;
  if (rejected) return "remains until withdrawn";
  return state === "requested" ? "not yet" : "just now";
}

interface ResetsProps {
  flow: FlowAddress;
  /** true: a pending reset has the button that withdraws it */
  mayAct: boolean;
}

/** Pending resets, and those that ended within a day. */
export function Resets({ flow: { source, target }, mayAct }: ResetsProps) {
  const answer = useInfiniteQuery(resetsQuery({ source, target }));
  const [wanted, setWanted] = useState<Reset | null>(null);
  const columns = useMemo(() => resetColumns(mayAct, setWanted), [mayAct]);
  const view = useTableView("resets", columns, "-ordered");
  return (
    <>
      {wanted !== null && (
        <WithdrawReset flow={{ source, target }} reset={wanted} onClose={() => setWanted(null)} />
      )}
      <TopicOrders
        title="Resets"
        list="resets"
        flow={{ source, target }}
        answer={answer}
        empty={<p className="control-none">No reset is pending, and none ended within a day.</p>}
        view={view}
      />
    </>
  );
}

function Place({ to }: { to: Reset["to"] }) {
  if (to === "earliest") return <>the start of the log</>;
  if (to === "latest") return <>the end of the log</>;
  if ("offset" in to) return <>offset {exactNumber(to.offset)}</>;
  return <Timestamp time_ms={to.timestamp_ms} />;
}
