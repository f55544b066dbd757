import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import { wholeList } from "@/api/whole-list";
import { type ListFiles as Files, filesOf, type ListPlace } from "@/components/by-hand/lists";
import { saveFile } from "@/lib/save-file";

/** The whole list as a file, with the filters that are set; nothing where the service makes none. */
export function ListFiles({ place }: { place: ListPlace }) {
  const files = filesOf(place);
  return files === null ? null : <Downloads files={files} />;
}

function Downloads({ files: { csv, pages, rows, name } }: { files: Files }) {
  const json = useMutation({
    mutationFn: () => wholeList(pages, rows),
    onSuccess: (all) => saveFile(`${name}.json`, "application/json", `${JSON.stringify(all, null, 2)}\n`),
  });
  return (
    <div className="list-files">
      <IconDownload size={16} aria-hidden />
      <Button component="a" size="compact-sm" variant="subtle" href={csv} download={`${name}.csv`}>
        Download CSV
      </Button>
      <Button size="compact-sm" variant="subtle" loading={json.isPending} onClick={() => json.mutate()}>
        Download JSON
      </Button>
      {json.error !== null && <span role="alert">{reasonOf(json.error)}</span>}
    </div>
  );
}
