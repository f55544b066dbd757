import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import { wholeList } from "@/api/whole-list";
import { filesOf, type ListPlace } from "@/components/by-hand/lists";
import { objectsAsCsv } from "@/lib/files/csv";
import { saveFile } from "@/lib/files/save-file";

/** The whole list as a file, with the filters that are set. */
export function ListFiles({ place }: { place: ListPlace }) {
  const { csv, pages, rows, pagedBy, name } = filesOf(place);
  const read = () => wholeList(pages, rows, pagedBy);
  const json = useMutation({
    mutationFn: read,
    onSuccess: (all) => saveFile(`${name}.json`, "application/json", `${JSON.stringify(all, null, 2)}\n`),
  });
  const table = useMutation({
    mutationFn: read,
    onSuccess: (all) => saveFile(`${name}.csv`, "text/csv", objectsAsCsv(all as Record<string, unknown>[])),
  });
  const error = json.error ?? table.error;
  return (
    <div className="list-files">
      <IconDownload size={16} aria-hidden />
      {csv === null ? (
        <Button size="compact-sm" variant="subtle" loading={table.isPending} onClick={() => table.mutate()}>
          Download CSV
        </Button>
      ) : (
        <Button component="a" size="compact-sm" variant="subtle" href={csv} download={`${name}.csv`}>
          Download CSV
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" loading={json.isPending} onClick={() => json.mutate()}>
        Download JSON
      </Button>
      {error !== null && <span role="alert">{reasonOf(error)}</span>}
    </div>
  );
}
