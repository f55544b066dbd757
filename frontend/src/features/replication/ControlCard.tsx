import { useQuery } from "@tanstack/react-query";
import { throttleQuery } from "@/api/control";
import { type FlowAddress, meQuery } from "@/api/queries";
import type { Limit } from "@/api/types";
import { Card } from "@/components/Card";
import { Figure, Unknown } from "@/components/Figure";
import { HoldsTable } from "@/features/replication/HoldsTable";
import { ResetsTable } from "@/features/replication/ResetsTable";
import { bytesPerSecond } from "@/lib/format";

interface ControlCardProps extends FlowAddress {
  /** undefined: not known yet; null: no task reports one */
  limit: Limit | null | undefined;
}

/** The throttle, holds and resets of a flow, and the limit of its throughput. */
export function ControlCard({ source, target, limit }: ControlCardProps) {
  const me = useQuery(meQuery);
  const isOperator = me.data?.permissions.includes("flows.act") ?? false;
  const flow = { source, target };
  return (
    <Card title="Control">
      <dl className="control-facts">
        <div className="fact">
          <dt>Limited by</dt>
          <dd>{limit ? limit.text : <Unknown why="no task reports what limits the flow" />}</dd>
        </div>
        {isOperator && <Throttle flow={flow} />}
      </dl>
      {isOperator ? (
        <>
          <h3 className="control-part">Holds</h3>
          <HoldsTable {...flow} />
          <h3 className="control-part">Resets</h3>
          <ResetsTable {...flow} />
        </>
      ) : (
        me.data !== undefined && (
          <p className="control-none">Throttle, holds and resets are shown to operators.</p>
        )
      )}
    </Card>
  );
}

function Throttle({ flow }: { flow: FlowAddress }) {
  const { data, error } = useQuery(throttleQuery(flow));
  return (
    <div className="fact">
      <dt>Throttle</dt>
      <dd>
        {data === undefined && <Unknown why={error === null ? "not read yet" : error.message} />}
        {data === null && "none"}
        {typeof data === "number" && <Figure value={data} as={bytesPerSecond} />}
      </dd>
      {data !== undefined && (
        <dd className="control-hint">
          {data === null ? (
            <>
              <code>srm.throttle.rate</code> and <code>srm.throttle.schedule</code> of its settings count
            </>
          ) : (
            <>
              wins over <code>srm.throttle.rate</code>, but not over a window of{" "}
              <code>srm.throttle.schedule</code>
            </>
          )}
        </dd>
      )}
    </div>
  );
}
