import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMay } from "@/api/personal";
import { driversQuery } from "@/api/queries";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState } from "@/components/states";
import { ColumnTable } from "@/components/table/ColumnTable";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { useTableView } from "@/components/table/useTableView";
import { byOwnClock, driverColumns } from "@/features/drivers/columns";
import { GoneCard } from "@/features/drivers/GoneCard";
import { MatrixCard } from "@/features/drivers/MatrixCard";
import { ErrorsCard, MovesCard } from "@/features/drivers/MovesCard";

export function DriversPage() {
  const answer = useQuery(driversQuery);
  const mayAct = useMay("drivers.act");
  const hasDrain = answer.data?.items.some(({ drain }) => drain) ?? false;
  const columns = useMemo(() => driverColumns(mayAct, hasDrain), [mayAct, hasDrain]);
  const view = useTableView("drivers", columns, "driver");
  return (
    <>
      <PageTitle title="Drivers">
        <div className="page-actions">
          <ColumnTools view={view} />
          <ListCommands list="drivers" />
        </div>
        <p>Processes that plan flows and copy records</p>
      </PageTitle>
      <section className="card" aria-label="Drivers">
        <ErrorBoundary what="The drivers">
          <Answered what="drivers" answer={answer} rows={2}>
            {({ items, as_of_ms }) =>
              items.length > 0 ? (
                <ColumnTable
                  label="Table of drivers"
                  className="drivers-table"
                  view={view}
                  rows={items.map((driver) => byOwnClock(driver, as_of_ms, answer.dataUpdatedAt))}
                  rowId={({ id, role }) => `${id} ${role}`}
                />
              ) : (
                <EmptyState icon={IconCpu} title="No driver reports">
                  Nothing is copied while no driver runs. Start one with <code>srm driver</code>.
                </EmptyState>
              )
            }
          </Answered>
        </ErrorBoundary>
      </section>
      {answer.data !== undefined && <MatrixCard drivers={answer.data.items} />}
      <ErrorsCard />
      <MovesCard />
      <GoneCard />
    </>
  );
}
