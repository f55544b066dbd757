import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { ChangesTable } from "@/components/form/ChangesTable";
import { ErrorState, LoadingRows } from "@/components/states";
import { changesOf } from "@/features/configuration/changes";
import { versionDiffQuery } from "@/features/configuration/requests";
import { plural } from "@/lib/format";

/** The properties in which two versions differ. */
export function DiffCard({ from, to, hasFocus }: { from: number; to: number; hasFocus: boolean }) {
  const { data, error, refetch } = useQuery(versionDiffQuery(from, to));
  const navigate = useNavigate();
  const close = () =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, from_version: undefined, to_version: undefined }),
      resetScroll: false,
    });
  return (
    <Card
      hasFocus={hasFocus}
      title={`Changes from version ${from} to ${to}`}
      note={data && plural(data.differences.length, "property differs", "properties differ")}
      tools={
        <>
          <ListCommands list="differences" filters={{ from: String(from), to: String(to) }} />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            aria-label="Close the comparison"
            onClick={close}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </>
      }
    >
      {data === undefined && error === null && <LoadingRows rows={2} label="Loading the differences" />}
      {data === undefined && error !== null && (
        <ErrorState what="The differences" error={error} onRetry={() => void refetch()} />
      )}
      {data?.differences.length === 0 && <p className="card-body muted">The two versions are equal.</p>}
      {data !== undefined && data.differences.length > 0 && (
        <ChangesTable
          label={`Differences of version ${from} and ${to}`}
          before={`Version ${from}`}
          after={`Version ${to}`}
          rows={changesOf(data.differences)}
        />
      )}
    </Card>
  );
}
