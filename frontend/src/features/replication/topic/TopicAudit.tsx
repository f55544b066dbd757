import { IconShieldSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { topicAuditsQuery } from "@/api/audits";
import type { TopicAddress } from "@/api/topic";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { recordsFound, TONES, WORDS } from "@/features/audits/results";
import { exactNumber } from "@/lib/format";

/** What the audits say about the topic. */
export function TopicAudit({ source, target, topic }: TopicAddress) {
  const { data, error, refetch } = useQuery(topicAuditsQuery({ source, target }, topic));
  const found = recordsFound(data?.findings);
  return (
    <Card
      title="Audit"
      tools={<ListCommands list="audit results" flow={{ source, target }} filters={{ topic }} />}
    >
      {data === undefined && error === null && <LoadingRows rows={1} label="Loading the audit result" />}
      {data === undefined && error !== null && (
        <ErrorState what="The audit result" error={error} onRetry={() => void refetch()} />
      )}
      {data === null && (
        <EmptyState icon={IconShieldSearch} title="No audit has covered this topic yet">
          An audit of the flow compares every record of source and copy.
        </EmptyState>
      )}
      {data != null && (
        <dl className="facts">
          <div className="fact">
            <dt>Result</dt>
            <dd>
              <StateBadge tone={TONES[data.verdict]} word={WORDS[data.verdict]} />
            </dd>
          </div>
          <div className="fact">
            <dt>Compared</dt>
            <dd>{data.at_ms === null ? <Unknown /> : <Timestamp time_ms={data.at_ms} />}</dd>
          </div>
          <div className="fact">
            <dt>Records found</dt>
            <dd>{exactNumber(found)}</dd>
          </div>
          {data.audit_id !== null && (
            <div className="fact">
              <dt>Audit</dt>
              <dd>
                <Link
                  to="/replications/$source/$target"
                  params={{ source, target }}
                  search={{ audit: data.audit_id }}
                >
                  {found === 0 ? "Audit" : "Findings of audit"} {data.audit_id}
                </Link>
              </dd>
            </div>
          )}
        </dl>
      )}
    </Card>
  );
}
