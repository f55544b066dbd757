import { useQueryClient } from "@tanstack/react-query";
import { actOnFlows } from "@/api/orders";
import type { BulkAction } from "@/api/types";
import { inTurn, sameBulk, sameOrder } from "@/features/orders/commands";
import { ManyForm } from "@/features/orders/many/ManyForm";
import type { ManyAction, ManyOrder, OneResult } from "@/features/orders/many/many-order";
import {
  bodyOf,
  giveOne,
  isThrottleAction,
  oneByOne,
  type ThrottleAction,
  throttleActions,
} from "@/features/orders/many/one-by-one";
import { refreshDefinitions } from "@/features/orders/refresh";
import { type FlowRow, flowKey } from "@/live/flow-row";

type FlowAction = BulkAction | ThrottleAction;

const ACTIONS: Readonly<Record<FlowAction, ManyAction<FlowAction>>> = {
  pause: { label: "Pause", effect: "No topic is copied, and every position is kept.", undo: "resume" },
  resume: { label: "Resume", effect: "Every partition continues where it stopped." },
  stop: {
    label: "Stop",
    effect: "All tasks of the flows stop, including heartbeats. Their positions are kept.",
    undo: "start",
  },
  start: { label: "Start", effect: "Stopped flows start from their positions." },
  restart: { label: "Restart", effect: "All tasks of the flows start again from their committed positions." },
  enable: { label: "Enable", effect: "The flows copy what their filters allow.", undo: "disable" },
  disable: {
    label: "Disable",
    effect: "The flows stop copying and send only heartbeats. Their positions are kept.",
    undo: "enable",
  },
  ...throttleActions(
    "The tasks of each flow share this limit. It overrides srm.throttle.rate, but not a window of srm.throttle.schedule.",
    "Only srm.throttle.rate and srm.throttle.schedule limit the flows.",
  ),
};

const CONFIRMED: readonly BulkAction[] = ["disable", "stop"];

interface ManyFlowsProps {
  flows: readonly FlowRow[];
  /** how many of them the filter hides */
  hidden?: number;
  onClear: () => void;
}

/** One action on the chosen flows, with a result per flow. */
export default function ManyFlows({ flows, hidden = 0, onClear }: ManyFlowsProps) {
  const queries = useQueryClient();
  return (
    <ManyForm<FlowAction>
      one="flow"
      names={flows.map(({ key }) => key)}
      hidden={hidden}
      actions={ACTIONS}
      first="pause"
      confirmed={CONFIRMED}
      act={(order, isDryRun, names) =>
        actOn(
          flows.filter(({ key }) => names.has(key)),
          order,
          isDryRun,
        )
      }
      refusalOf={(action) => refusalOf(action, flows)}
      sameOf={({ action, ...order }) =>
        isThrottleAction(action)
          ? inTurn(flows.map((flow) => sameOrder(flow, bodyOf({ ...order, action }))))
          : sameBulk(flows, { ...order, action })
      }
      refresh={() => refreshDefinitions(queries)}
      onClear={onClear}
    />
  );
}

/** Why none of the flows can get an action now; null: one of them can. Pure. */
function refusalOf(action: FlowAction, flows: readonly FlowRow[]): string | null {
  if (flows.every(({ service }) => service !== null)) return "Other services report all of them";
  const isDisabled = ({ status }: FlowRow) => status === "disabled";
  if (action === "enable") return flows.some(isDisabled) ? null : "None of them is disabled";
  if (isThrottleAction(action)) return null;
  if (flows.every(isDisabled)) return "All of them are disabled";
  const isHalted = flows.some(({ status }) => status === "paused");
  if (action === "resume" && !isHalted) return "None of them is paused";
  return action === "start" && !isHalted ? "None of them is stopped" : null;
}

/** Flows of other services are refused: their services take the orders. */
async function actOn(
  flows: readonly FlowRow[],
  order: ManyOrder<FlowAction>,
  dry_run: boolean,
): Promise<OneResult[]> {
  const own = flows.filter(({ service }) => service === null);
  const refused = flows.flatMap(({ key, service }) =>
    service === null
      ? []
      : [{ name: key, result: "refused" as const, text: `Reported by ${service}: give the order there` }],
  );
  return [...(own.length === 0 ? [] : await actOnOwn(own, order, dry_run)), ...refused];
}

/** The service acts on many flows at once, but for throttles. */
async function actOnOwn(
  flows: readonly FlowRow[],
  { action, ...order }: ManyOrder<FlowAction>,
  dry_run: boolean,
): Promise<OneResult[]> {
  const pairs = flows.map(({ source, target }) => ({ source, target }));
  if (isThrottleAction(action)) {
    const body = bodyOf({ ...order, action });
    return oneByOne(
      pairs,
      ({ source, target }) => flowKey(source, target),
      (flow) => giveOne(flow, body, dry_run),
    );
  }
  const { results } = await actOnFlows({ ...order, action, flows: pairs, dry_run });
  return results.map(({ source, target, order: actionId, ...one }) => ({
    name: flowKey(source, target),
    ...one,
    ...(actionId == null ? {} : { order: { flow: { source, target }, actionId } }),
  }));
}
