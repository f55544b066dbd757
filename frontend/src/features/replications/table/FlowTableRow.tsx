import { IconPinFilled, IconRoute } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import { FlowName } from "@/components/FlowName";
import { OrdersHint } from "@/components/flow/OrdersHint";
import { FlowCell } from "@/features/replications/table/cells";
import type { FlowColumn, TableFlow } from "@/features/replications/table/columns";
import { FlowReason } from "@/features/replications/table/FlowReason";
import { useSelectedFlow } from "@/features/replications/topology/TopologyCard";
import { useNearView } from "@/lib/view/near-view";
import { useFlowInList } from "@/live/context";

interface FlowTableRowProps {
  flowKey: string;
  facts: TableFlow["facts"];
  statistic: TableFlow["statistic"];
  columns: readonly FlowColumn[];
  isPinned: boolean;
  /** null: the person may not act on flows */
  isChosen: boolean | null;
  onChoose: (flowKey: string, isChosen: boolean) => void;
  menu: (flowKey: string) => ReactNode;
}

/** The row of one flow; it renders only when this flow changes and is near the view. */
export const FlowTableRow = memo(function FlowTableRow(props: FlowTableRowProps) {
  const { flowKey, facts, statistic, columns, isPinned, isChosen, onChoose, menu } = props;
  const { ref, isNear } = useNearView<HTMLTableRowElement>();
  const flow = useFlowInList(flowKey, isNear);
  const [selected] = useSelectedFlow();
  if (flow === undefined) return null;
  const row: TableFlow = { flow, facts, statistic };
  return (
    <tr ref={ref} className="flow-row" data-selected={selected === flowKey ? true : undefined}>
      {isChosen !== null && (
        <td className="choose">
          <input
            type="checkbox"
            aria-label={`Choose ${flow.source} to ${flow.target}`}
            checked={isChosen}
            onChange={(event) => onChoose(flowKey, event.currentTarget.checked)}
          />
        </td>
      )}
      <th scope="row" className="flow-cell">
        <FlowLinks flowKey={flowKey} source={flow.source} target={flow.target} isPinned={isPinned} />
        <FlowReason flow={flow} />
        <OrdersHint flow={flow} />
      </th>
      {columns.slice(1).map((column) => (
        <FlowCell key={column.id} column={column} row={row} />
      ))}
      <td className="row-menu">{menu(flowKey)}</td>
    </tr>
  );
});

interface FlowLinksProps {
  flowKey: string;
  source: string;
  target: string;
}

/** The way to the flow, and its place in the picture above: nothing that changes every second. */
const FlowLinks = memo(function FlowLinks(props: FlowLinksProps & { isPinned: boolean }) {
  const { flowKey, source, target, isPinned } = props;
  return (
    <div className="flow-links">
      <Link
        to="/replications/$source/$target"
        params={{ source, target }}
        search={(search) => ({ from: search.from, to: search.to })}
      >
        <FlowName source={source} target={target} />
      </Link>
      <ShowInTopology flowKey={flowKey} source={source} target={target} />
      {isPinned && <PinMark />}
    </div>
  );
});

function ShowInTopology({ flowKey, source, target }: FlowLinksProps) {
  const [selected, select] = useSelectedFlow();
  return (
    <button
      type="button"
      className="show-in-topology"
      aria-pressed={selected === flowKey}
      aria-label={`Show ${source} to ${target} in the topology`}
      title="Show in the topology"
      onClick={() => select(flowKey)}
    >
      <IconRoute size={15} aria-hidden />
    </button>
  );
}

function PinMark() {
  return (
    <span className="pin-mark" title="Pinned">
      <IconPinFilled size={13} aria-hidden />
      <span className="visually-hidden">pinned</span>
    </span>
  );
}
