import "@/features/drivers/drivers.css";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { useMay } from "@/api/personal";
import { driversQuery } from "@/api/queries";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Breadcrumbs, PageTitle } from "@/components/PageTitle";
import { EmptyState } from "@/components/states";
import { ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { byOwnClock, PROCESS_COLUMNS } from "@/features/drivers/columns";
import { DrainCell } from "@/features/drivers/DrainCell";
import { OwnTasks } from "@/features/drivers/driver/OwnTasks";
import { GoneCard } from "@/features/drivers/GoneCard";
import { ErrorsCard, MovesCard } from "@/features/drivers/MovesCard";
import { RestartButton } from "@/features/drivers/RestartButton";

/** A driver: its orders, its processes with their load, and their tasks, errors and moves. */
export function DriverPage() {
  const { id } = useParams({ from: "/drivers/$id" });
  const answer = useQuery(driversQuery);
  const mayAct = useMay("drivers.act");
  const own = useMemo(
    () => answer.data?.items.filter(({ parent }) => parent === id) ?? [],
    [answer.data, id],
  );
  const processes = useMemo(() => new Set(own.map((process) => process.id)), [own]);
  const view = useTableView("processes", PROCESS_COLUMNS, "driver");
  const isDrained = own.some(({ drain }) => drain);
  return (
    <>
      <Breadcrumbs>
        {[
          <Link key="list" to="/drivers" search={({ from, to }) => ({ from, to })}>
            Drivers
          </Link>,
          id,
        ]}
      </Breadcrumbs>
      <PageTitle title={id}>
        {own.length > 0 && (
          <div className="page-actions">
            <DrainCell driver={id} isDrained={isDrained} mayAct={mayAct} />
            {mayAct && <RestartButton driver={id} />}
          </div>
        )}
        <p>A driver with its processes and their tasks</p>
      </PageTitle>
      <Card
        title="Processes"
        tools={
          <>
            {own.length > 0 && <ColumnMenu {...view} />}
            <ListCommands list="drivers" />
          </>
        }
      >
        <Answered what="processes" answer={answer} rows={2}>
          {({ as_of_ms }) =>
            own.length > 0 ? (
              <ColumnTable
                label="Table of processes"
                className="drivers-table"
                view={view}
                rows={own.map((process) => byOwnClock(process, as_of_ms, answer.dataUpdatedAt))}
                rowId={(process) => `${process.id} ${process.role}`}
              />
            ) : (
              <EmptyState icon={IconCpu} title={`No process of ${id} reports`}>
                A driver that stopped is listed as gone on the page{" "}
                <Link to="/drivers" search={({ from, to }) => ({ from, to })}>
                  Drivers
                </Link>
                .
              </EmptyState>
            )
          }
        </Answered>
      </Card>
      {own.length > 0 && (
        <>
          <OwnTasks driver={id} processes={processes} />
          <ErrorsCard processes={processes} />
          <MovesCard processes={processes} />
        </>
      )}
      <GoneCard driver={id} />
    </>
  );
}
