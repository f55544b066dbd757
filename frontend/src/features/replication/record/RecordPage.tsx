import "@/components/form/form.css";
import "@/features/replication/record/record.css";
import { Button } from "@mantine/core";
import { IconArrowsLeftRight, IconEye, IconMapOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiProblem, reasonOf } from "@/api/problem";
import { meQuery } from "@/api/queries";
import { type RecordAddress, recordQuery } from "@/api/topic";
import { RefreshButton } from "@/components/answer/RefreshButton";
import { Card } from "@/components/Card";
import { ByHandNote } from "@/components/form/ByHandNote";
import { LinkButton } from "@/components/form/LinkButton";
import { NameText } from "@/components/NameText";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { FlowCrumbs } from "@/features/replication/FlowCrumbs";
import { sameRecord } from "@/features/replication/record/commands";
import { PairView } from "@/features/replication/record/PairView";
import { RecordForm } from "@/features/replication/record/RecordForm";
import { exactNumber } from "@/lib/format";

const ROUTE = "/replications/$source/$target/topics/$topic/record";

/** A record of a topic and its copy side by side, at an offset of either cluster. */
export function RecordPage() {
  const topic = useParams({ from: ROUTE });
  const { partition, offset, on = "source" } = useSearch({ from: ROUTE });
  const title = `A record of ${topic.topic}`;
  const key = [partition, offset, on].join("/");
  return (
    <>
      <FlowCrumbs {...topic} place="Record" />
      <PageTitle
        title={title}
        heading={
          <>
            A record of <NameText name={topic.topic} />
          </>
        }
      />
      <Card title="Place">
        <RecordForm key={key} address={topic} partition={partition} offset={offset} on={on} />
      </Card>
      {partition === undefined || offset === undefined ? (
        <section className="card" aria-label="Both records">
          <EmptyState icon={IconArrowsLeftRight} title="Choose a record">
            Enter its partition, and its offset on either cluster.
          </EmptyState>
        </section>
      ) : (
        <RecordCard key={key} address={{ ...topic, partition, offset, on }} />
      )}
    </>
  );
}

function RecordCard({ address }: { address: RecordAddress }) {
  const [withValue, setWithValue] = useState(false);
  const me = useQuery(meQuery);
  const { data, error, refetch, isFetching } = useQuery(recordQuery(address, false));
  const valued = useQuery({ ...recordQuery(address, true), enabled: withValue });
  const isMissing = error instanceof ApiProblem && error.status === 404;
  const hasValues = withValue && valued.data !== undefined;
  const { partition, offset, on } = address;
  return (
    <Card
      title={`Partition ${partition}, offset ${exactNumber(offset)}`}
      note={`on ${on === "source" ? address.source : address.target}`}
      tools={
        <>
          {offset > 0 && <Neighbour address={address} step={-1} />}
          <Neighbour address={address} step={1} />
          <RefreshButton label="Read again" isReading={isFetching} onRefresh={() => void refetch()} />
          {me.data?.role === "admin" && data !== undefined && !hasValues && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconEye size={14} aria-hidden />}
              loading={valued.isFetching}
              onClick={() => (withValue ? void valued.refetch() : setWithValue(true))}
            >
              Show the values
            </Button>
          )}
        </>
      }
    >
      {me.data?.role === "admin" && data !== undefined && !hasValues && valued.error === null && (
        <p className="control-none">Showing the values is recorded in the audit trail.</p>
      )}
      {valued.error !== null && (
        <p role="alert" className="record-alert">
          The values are not shown: {reasonOf(valued.error)}
        </p>
      )}
      {isMissing && (
        <EmptyState icon={IconMapOff} title="The flow does not copy this partition">
          {error.message}
        </EmptyState>
      )}
      {data === undefined && error === null && (
        <LoadingRows rows={6} label="Reading the record on both clusters" />
      )}
      {data === undefined && error !== null && !isMissing && (
        <ErrorState what="Records" error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && <PairView address={address} pair={valued.data ?? data} withValue={hasValues} />}
      <div className="record-by-hand">
        <ByHandNote same={sameRecord(address, hasValues)} />
      </div>
    </Card>
  );
}

function Neighbour({ address, step }: { address: RecordAddress; step: 1 | -1 }) {
  const { source, target, topic, offset } = address;
  return (
    <LinkButton
      size="xs"
      variant="default"
      to={ROUTE}
      params={{ source, target, topic }}
      search={(search) => ({ ...search, offset: offset + step })}
      resetScroll={false}
    >
      {step < 0 ? "Previous" : "Next"}
    </LinkButton>
  );
}
