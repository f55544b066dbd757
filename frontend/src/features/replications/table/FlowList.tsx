import { NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Figure } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { OrdersHint } from "@/components/flow/OrdersHint";
import { StatusBadge } from "@/components/StatusBadge";
import { latencyLabel } from "@/components/table/columns/statistic";
import { AllBox, type Choice } from "@/features/orders/many/choice";
import {
  FLOW_COLUMNS,
  figureOf,
  READINGS,
  readingOf,
  sortedFlows,
  type TableFlow,
  whyNoLoss,
  whyUnknown,
} from "@/features/replications/table/columns";
import { FlowReason } from "@/features/replications/table/FlowReason";
import { bytesPerSecond, count, milliseconds } from "@/lib/format";
import { age } from "@/lib/time";
import { useNearView } from "@/lib/view/near-view";
import { useFlowInList } from "@/live/context";

const SORTS = [
  { value: "status", label: "Most urgent first" },
  { value: "-throughput", label: "Highest throughput first" },
  { value: "-lag", label: "Highest lag first" },
  { value: "-latency", label: "Highest latency first" },
  { value: "flow", label: "By name" },
];

interface FlowListProps {
  shown: readonly TableFlow[];
  sort: string;
  onSort: (sort: string) => void;
  limit: number;
  pins: readonly string[];
  /** null: the person may not act on flows */
  choice: Choice | null;
  /** the button with the actions of a flow */
  menu: (flowKey: string) => ReactNode;
}

/** The flows as cards, for screens that are too narrow for the table. */
export function FlowList({ shown, sort, onSort, limit, pins, choice, menu }: FlowListProps) {
  const known = SORTS.some(({ value }) => value === sort);
  const other = FLOW_COLUMNS.find(({ id }) => id === sort.replace(/^-/, ""));
  const sorts =
    known || other === undefined ? SORTS : [...SORTS, { value: sort, label: `By ${other.label}` }];
  return (
    <>
      <div className="flow-list-sort">
        <NativeSelect
          size="xs"
          aria-label="Order of the flows"
          data={sorts}
          value={sort}
          onChange={(event) => onSort(event.currentTarget.value)}
        />
        {choice !== null && (
          <AllBox
            keys={shown.map(({ flow }) => flow.key)}
            choice={choice}
            className="choose-flow"
            label="Choose all flows of the filter"
          />
        )}
      </div>
      <ul className="flow-list">
        {sortedFlows(shown, sort, pins)
          .slice(0, limit)
          .map((row) => (
            <FlowCard key={row.flow.key} {...row} choice={choice} menu={menu} />
          ))}
      </ul>
    </>
  );
}

type FlowCardProps = TableFlow & Pick<FlowListProps, "choice" | "menu">;

function FlowCard({ flow: listed, facts, statistic, choice, menu }: FlowCardProps) {
  const { ref, isNear } = useNearView<HTMLLIElement>();
  const flow = useFlowInList(listed.key, isNear);
  if (flow === undefined) return null;
  const { source, target } = flow;
  const row = { flow, facts, statistic };
  const isAverage = figureOf(READINGS.lag_time, statistic) === "avg";
  return (
    <li ref={ref} className="flow-card">
      <div className="flow-card-head">
        <Link
          to="/replications/$source/$target"
          params={{ source, target }}
          search={(search) => ({ from: search.from, to: search.to })}
        >
          <FlowName source={source} target={target} />
        </Link>
        <span className="flow-card-side">
          <StatusBadge status={flow.status} />
          {menu(flow.key)}
          {choice !== null && (
            <input
              type="checkbox"
              className="choose-flow"
              aria-label={`Choose ${source} to ${target}`}
              checked={choice.chosen.has(flow.key)}
              onChange={(event) => choice.choose(flow.key, event.currentTarget.checked)}
            />
          )}
        </span>
      </div>
      <FlowReason flow={flow} />
      <OrdersHint flow={flow} />
      <dl>
        <Fact name="Throughput">
          <Figure
            value={readingOf(row, READINGS.throughput)}
            as={bytesPerSecond}
            why={whyUnknown(row, READINGS.throughput)}
          />
        </Fact>
        <Fact name="Lag">
          <Figure value={readingOf(row, READINGS.lag)} as={count} why={whyUnknown(row, READINGS.lag)} />
        </Fact>
        <Fact name={isAverage ? "Lag in time, average" : "Lag in time"}>
          <Figure
            value={readingOf(row, READINGS.lag_time)}
            as={milliseconds}
            why={whyUnknown(row, READINGS.lag_time)}
          />
        </Fact>
        <Fact name="Time to loss">
          <Figure value={facts?.time_to_loss_ms} as={milliseconds} tone="bad" why={whyNoLoss(facts)} />
        </Fact>
        <Fact name={latencyLabel(statistic)}>
          <Figure
            value={readingOf(row, READINGS.latency)}
            as={milliseconds}
            why={whyUnknown(row, READINGS.latency)}
          />
        </Fact>
        <Fact name="Heartbeat">
          <Figure value={readingOf(row, READINGS.heartbeat)} as={age} />
        </Fact>
      </dl>
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
