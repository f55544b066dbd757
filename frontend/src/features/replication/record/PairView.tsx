import { Button } from "@mantine/core";
import { IconEqualNot } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import type { RecordAddress } from "@/api/topic";
import type { RecordPair, RecordSide } from "@/api/types";
import { CopyText } from "@/components/copy/CopyText";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { sameReset } from "@/features/orders/commands";
import { useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { findingOf } from "@/features/replication/record/finding";
import { type Part, partsOf } from "@/features/replication/record/parts";
import { exactNumber, partName } from "@/lib/format";
import type { Tone } from "@/lib/status";

const STATES: Record<RecordSide["state"], { tone: Tone; word: string }> = {
  found: { tone: "ok", word: "Found" },
  before_start: { tone: "idle", word: "Removed by retention" },
  beyond_end: { tone: "idle", word: "Not written yet" },
  no_record: { tone: "idle", word: "No record here" },
  not_copied_yet: { tone: "warn", word: "Not copied yet" },
  not_copied: { tone: "bad", word: "Not copied" },
  place_unknown: { tone: "idle", word: "Place not known" },
  unreachable: { tone: "bad", word: "Not reachable" },
};

interface PairViewProps {
  address: RecordAddress;
  pair: RecordPair;
  withValue: boolean;
}

/** Both records with their differences, what they show, and the remedy. */
export function PairView({ address, pair, withValue }: PairViewProps) {
  const finding = findingOf(pair);
  const unreachable = [pair.original, pair.copy].filter(({ state }) => state === "unreachable");
  return (
    <>
      <div className="reason-banner" data-tone={finding.tone}>
        <p className="record-headline">{finding.headline}</p>
        <p>{finding.remedy}</p>
        {unreachable.map(({ cluster }) => (
          <p key={cluster}>
            <Link to="/clusters/$alias" params={{ alias: cluster }}>
              Open {cluster}
            </Link>
          </p>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="table-scroll" aria-label="Both records" tabIndex={0}>
        <table className="table record-table">
          <thead>
            <tr>
              <th scope="col">Part</th>
              <SideHeading side={pair.original} name="Source" />
              <SideHeading side={pair.copy} name="Target" />
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">State</th>
              <SideState side={pair.original} />
              <SideState side={pair.copy} />
            </tr>
            <tr>
              <th scope="row">Log</th>
              <td>{logText(pair.original)}</td>
              <td>{logText(pair.copy)}</td>
            </tr>
            {partsOf(pair, withValue).map((part) => (
              <PartRow key={part.name} part={part} />
            ))}
          </tbody>
        </table>
      </section>
      <p className="record-evidence">How the other offset is known: {pair.evidence}</p>
      {finding.resetTo !== null && (
        <CopyAgain
          flow={{ source: address.source, target: address.target }}
          original={pair.original}
          offset={finding.resetTo}
        />
      )}
    </>
  );
}

interface CopyAgainProps {
  flow: FlowAddress;
  original: RecordSide;
  offset: number;
}

/** The reset that copies a record again, as a form and as commands. */
function CopyAgain({ flow, original: { topic, partition }, offset }: CopyAgainProps) {
  const mayAct = useMay("flows.act");
  const [dialog, open] = useOrderDialog();
  const { command } = sameReset(flow, { topic, partition, to: { offset }, reason: "copy again" });
  const position = { kind: "offset", typed: String(offset) };
  return (
    <>
      <details className="record-remedy">
        <summary>Copy again from this record</summary>
        {mayAct && (
          <Button
            size="xs"
            variant="default"
            aria-haspopup="dialog"
            onClick={() => open({ flow, kind: "reset", scope: { topic, partition }, position })}
          >
            Reset to this record
          </Button>
        )}
        <p>Dry run of the reset</p>
        <CopyText label="Dry run of the reset" text={`${command} --dry-run`} />
        <p>The reset</p>
        <CopyText label="Command of the reset" text={command} />
      </details>
      {dialog}
    </>
  );
}

function SideHeading({ side, name }: { side: RecordSide; name: string }) {
  return (
    <th scope="col">
      {name}: {side.cluster}{" "}
      <span className="record-topic">
        <NameText name={partName(side.topic, side.partition)} />
      </span>
    </th>
  );
}

function SideState({ side }: { side: RecordSide }) {
  return (
    <td>
      <StateBadge {...STATES[side.state]} />
      {side.state !== "found" && <span className="record-why">{side.text}</span>}
    </td>
  );
}

function logText({ log_start, log_end }: RecordSide): string {
  return log_start === null || log_end === null
    ? "not known"
    : `${exactNumber(log_start)} to ${exactNumber(log_end)}`;
}

function PartRow({ part }: { part: Part }) {
  const className = part.isContent ? "record-content" : undefined;
  return (
    <tr data-differs={part.differs || undefined}>
      <th scope="row">
        {part.name}{" "}
        {part.differs && (
          <span className="record-mark">
            <IconEqualNot size={14} aria-hidden /> differs
          </span>
        )}
      </th>
      <td className={className}>{part.source}</td>
      <td className={className}>{part.target}</td>
    </tr>
  );
}
