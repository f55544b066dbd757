import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { meQuery } from "@/api/queries";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { rowsOf } from "@/components/PagedTable";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { DiffCard } from "@/features/configuration/history/DiffCard";
import { RevertPanel } from "@/features/configuration/history/RevertPanel";
import { VersionTable } from "@/features/configuration/history/VersionTable";
import { versionsQuery } from "@/features/configuration/requests";
import { useAppliedHere } from "@/features/configuration/rollout/applied";
import { RolloutCard } from "@/features/configuration/rollout/RolloutCard";

/** All versions with the difference of any two of them, the revert to one, and how far the drivers are. */
export function HistoryPage() {
  const answer = useInfiniteQuery(versionsQuery);
  const { from_version, to_version } = useSearch({ from: "/configuration" });
  const here = useAppliedHere();
  // the page opens with the change that was applied a moment ago
  const [isOpenedByApply] = useState(here !== undefined && here.version === to_version);
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const [reverting, setReverting] = useState<number | null>(null);
  const versions = rowsOf(answer);
  const newest = versions?.[0]?.number ?? 0;
  const compare = (from_version: number, to_version: number) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, from_version, to_version }),
      replace: true,
      resetScroll: false,
    });
  const isCompared = from_version !== undefined && to_version !== undefined;
  return (
    <>
      <RolloutCard />
      {reverting !== null && (
        <RevertPanel key={reverting} number={reverting} newest={newest} onClose={() => setReverting(null)} />
      )}
      {isCompared && <DiffCard from={from_version} to={to_version} hasFocus={isOpenedByApply} />}
      <Card
        title="Versions"
        note={versions && (answer.hasNextPage ? `the newest ${versions.length}` : versions.length)}
        tools={<ListCommands list="versions" />}
      >
        {versions === undefined && answer.error === null && (
          <LoadingRows rows={5} label="Loading the versions" />
        )}
        {versions === undefined && answer.error !== null && (
          <ErrorState what="The versions" error={answer.error} onRetry={() => void answer.refetch()} />
        )}
        {versions?.length === 0 && (
          <EmptyState icon={IconHistory} title="No version yet">
            Each change of the configuration creates a version with its author, time and comment.
          </EmptyState>
        )}
        {versions !== undefined && versions.length > 0 && (
          <VersionTable
            versions={versions}
            newest={newest}
            from={from_version}
            to={to_version}
            mayRevert={me?.permissions.includes("flows.change") ?? false}
            onCompare={compare}
            onRevert={setReverting}
          />
        )}
        {answer.hasNextPage && (
          <div className="table-more">
            <Button
              size="xs"
              variant="default"
              loading={answer.isFetchingNextPage}
              onClick={() => void answer.fetchNextPage()}
            >
              Show more versions
            </Button>
          </div>
        )}
      </Card>
    </>
  );
}
