import { useQuery } from "@tanstack/react-query";
import { meQuery } from "@/api/queries";
import { Card } from "@/components/Card";
import { propertiesQuery } from "@/features/configuration/requests";
import { ExportCard } from "@/features/configuration/transfer/ExportCard";
import { ImportCard } from "@/features/configuration/transfer/ImportCard";

/** Files into the configuration, and the configuration as a file. */
export function TransferPage() {
  const { data: me } = useQuery(meQuery);
  const { data: stored } = useQuery(propertiesQuery);
  const dialect = stored?.dialect === "mm2" || stored?.dialect === "operator" ? stored.dialect : "srm";
  const mayImport = me?.permissions.includes("flows.change") ?? false;
  return (
    <>
      {mayImport && <ImportCard key={`import ${dialect}`} dialect={dialect} />}
      {me !== undefined && !mayImport && (
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
