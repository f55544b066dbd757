import { Button, NativeSelect } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TreeExport, TreeFormat } from "@/api/types";
import { Card } from "@/components/Card";
import { CopyText } from "@/components/copy/CopyText";
import { ErrorState, LoadingRows } from "@/components/states";
import { Findings } from "@/features/configuration/Findings";
import { exportQuery } from "@/features/configuration/requests";
import { FORMAT_OPTIONS, FORMATS } from "@/features/configuration/transfer/formats";

/** The configuration in force as a file of any format. */
export function ExportCard({ dialect }: { dialect: TreeFormat }) {
  const [format, setFormat] = useState(dialect);
  const { data, error, refetch } = useQuery(exportQuery(format));
  return (
    <Card
      title="Export"
      note={data && `version ${data.version}; secrets are hidden`}
      tools={
        <>
          <NativeSelect
            className="export-format"
            aria-label="Format of the export"
            data={FORMAT_OPTIONS}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value as TreeFormat)}
          />
          <Button
            size="xs"
            variant="default"
            disabled={data === undefined}
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={() => data !== undefined && download(data)}
          >
            Download
          </Button>
        </>
      }
    >
      {data === undefined && error === null && <LoadingRows rows={4} label="Loading the export" />}
      {data === undefined && error !== null && (
        <ErrorState what="The export" error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && (
        <div className="card-body import-result export-result">
          {data.findings.length > 0 && (
            <>
              <p className="muted">Left out by this format, or written differently:</p>
              <Findings findings={data.findings} />
            </>
          )}
          <CopyText label="The configuration as a file" text={data.text || "# nothing is configured\n"} />
        </div>
      )}
    </Card>
  );
}

/** Saves the text as a file; nothing leaves the page. */
function download({ text, format }: TreeExport): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = FORMATS[format].file;
  link.click();
  URL.revokeObjectURL(address);
}
