import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import { wholeList } from "@/api/whole-list";
import { filesOf, type ListPlace } from "@/components/by-hand/lists";
import { objectsAsCsv } from "@/lib/files/csv";
import { saveFile } from "@/lib/files/save-file";

type Rows = Awaited<ReturnType<typeof wholeList>>;

/** The files that the page makes of the rows. */
const FORMATS = {
  csv: { type: "text/csv", write: objectsAsCsv },
  json: { type: "application/json", write: (rows: Rows) => `${JSON.stringify(rows, null, 2)}\n` },
} as const;

type Format = keyof typeof FORMATS;

/** The whole list as a file, with the filters that are set. */
export function ListFiles({ place }: { place: ListPlace }) {
  const { csv, pages, rows, paging, name } = filesOf(place);
  const file = useMutation({
    mutationFn: (_: Format) => wholeList(pages, rows, paging),
    onSuccess: (all, format) => {
      const { type, write } = FORMATS[format];
      saveFile(`${name}.${format}`, type, write(all));
    },
  });
  const made = (format: Format) => (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={file.isPending && file.variables === format}
      onClick={() => file.mutate(format)}
    >
      Download {format.toUpperCase()}
    </Button>
  );
  return (
    <div className="list-files">
      <IconDownload size={16} aria-hidden />
      {csv === null ? (
        made("csv")
      ) : (
        <Button component="a" size="compact-sm" variant="subtle" href={csv} download={`${name}.csv`}>
          Download CSV
        </Button>
      )}
      {made("json")}
      {file.error !== null && <span role="alert">{reasonOf(file.error)}</span>}
    </div>
  );
}
