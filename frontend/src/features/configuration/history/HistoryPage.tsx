import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "@/api/personal";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { rowsOf } from "@/components/PagedTable";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { orderingOf } from "@/components/table/ordering";
import { useTableView } from "@/components/table/useTableView";
import { DiffCard } from "@/features/configuration/history/DiffCard";
import { RevertPanel } from "@/features/configuration/history/RevertPanel";
import { VersionTable, versionColumns } from "@/features/configuration/history/VersionTable";
import { newestVersionQuery, versionsQuery } from "@/features/configuration/requests";
import { useAppliedHere } from "@/features/configuration/rollout/applied";
import { RolloutCard } from "@/features/configuration/rollout/RolloutCard";

/** All versions with the difference of any two of them, the revert to one, and how far the drivers are. */
export function HistoryPage() {
  const { from_version, to_version } = useSearch({ from: "/configuration" });
  const here = useAppliedHere();
  // the page opens with the change that was applied a moment ago
  const [isOpenedByApply] = useState(here !== undefined && here.version === to_version);
  const navigate = useNavigate();
  const mayRevert = useMay("flows.change");
  const [reverting, setReverting] = useState<number | null>(null);
  const newest = useQuery(newestVersionQuery).data?.number ?? 0;
  const compare = (from_version: number, to_version: number) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, from_version, to_version }),
      replace: true,
      resetScroll: false,
    });
  const isCompared = from_version !== undefined && to_version !== undefined;
  const columns = versionColumns({
    from: from_version ?? Math.max(0, newest - 1),
    to: to_version ?? newest,
    newest,
    mayRevert,
    onCompare: compare,
    onRevert: setReverting,
  });
  const view = useTableView("versions", columns, "-version");
  const answer = useInfiniteQuery(versionsQuery(orderingOf(columns, view.sort)));
  const versions = rowsOf(answer);
  return (
    <>
      <RolloutCard />
      {reverting !== null && (
        <RevertPanel key={reverting} number={reverting} newest={newest} onClose={() => setReverting(null)} />
      )}
      {isCompared && <DiffCard from={from_version} to={to_version} hasFocus={isOpenedByApply} />}
      <Card
        title="Versions"
        note={versions && (answer.hasNextPage ? `the first ${versions.length}` : versions.length)}
        tools={
          <>
            <ColumnTools view={view} />
            <ListCommands list="versions" />
          </>
        }
      >
        <VersionTable answer={answer} view={view} />
      </Card>
    </>
  );
}
