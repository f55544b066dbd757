import { useQuery } from "@tanstack/react-query";
import { useMay } from "@/api/personal";
import { Card } from "@/components/Card";
import { propertiesQuery } from "@/features/configuration/requests";
import { ExportCard } from "@/features/configuration/transfer/ExportCard";
import { ImportCard } from "@/features/configuration/transfer/ImportCard";

/** Files into the configuration, and the configuration as a file. */
export function TransferPage() {
  const { data: stored } = useQuery(propertiesQuery);
  const dialect = stored?.dialect === "mm2" || stored?.dialect === "operator" ? stored.dialect : "srm";
  const mayImport = useMay("flows.change");
  const isRefused = !useMay("flows.change", true);
  return (
    <>
      {mayImport && <ImportCard key={`import ${dialect}`} dialect={dialect} />}
      {isRefused && (
        <Card title="Import">
          <p className="card-body muted">
            Your role can read the configuration. An import needs the operator role.
          </p>
        </Card>
      )}
      <ExportCard key={`export ${dialect}`} dialect={dialect} />
    </>
  );
}
