import type { ReactNode } from "react";
import type { FlowAddress } from "@/api/queries";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { NameText } from "@/components/NameText";
import { PagedTable, type Pages, rowsOf } from "@/components/PagedTable";
import { Timestamp } from "@/components/Timestamp";
import type { CellColumn } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import type { TableView } from "@/components/table/useTableView";

/** An order for a topic or a partition of a flow. */
interface TopicOrder {
  id: string | number;
  topic: string;
  partition: number | null;
}

/** An order that is in force until it is ended. */
export interface LastingOrder extends TopicOrder {
  reason: string;
  since_ms: number;
  until_ms: number | null;
}

interface TopicOrdersProps<Row> {
  title: string;
  list: "pauses" | "stops" | "throttles" | "resets";
  flow: FlowAddress;
  /** part of the names of the topics that are listed */
  q?: string;
  answer: Pages<Row>;
  /** shown when there is no order */
  empty: ReactNode;
  view: TableView<CellColumn<Row>>;
}

/** A list of orders for topics and partitions, with its columns and its command. */
export function TopicOrders<Row extends TopicOrder>(props: TopicOrdersProps<Row>) {
  const { title, list, flow, q, answer, empty, view } = props;
  const hasRows = (rowsOf(answer)?.length ?? 0) > 0;
  return (
    <>
      <div className="control-part">
        <h3>{title}</h3>
        {hasRows && <ColumnMenu {...view} />}
        <ListCommands list={list} flow={flow} filters={{ q }} />
      </div>
      <PagedTable view={view} answer={answer} expected={1} empty={empty} rowId={({ id }) => String(id)} />
    </>
  );
}

/** The topic and the partition that an order is for. */
export const PLACE_COLUMNS: readonly CellColumn<TopicOrder>[] = [
  {
    id: "topic",
    label: "Topic",
    value: ({ topic }) => topic,
    cell: ({ topic }) => <NameText name={topic} />,
    cellClass: "topic-cell",
  },
  {
    id: "partition",
    label: "Partition",
    value: ({ partition }) => partition,
    isNumber: true,
    cell: ({ partition }) => partition ?? "all",
  },
];

interface LastingColumns<Row> {
  /** the heading of who gave the order, such as "Paused by" */
  by: string;
  giver: (row: Row) => string;
  /** how the order ends without a time: "someone resumes it" */
  ends: string;
  /** the button that ends the order */
  end: (row: Row) => ReactNode;
  /** columns before the reason */
  before?: readonly CellColumn<Row>[];
}

/** The columns of orders that are in force until they are ended. */
export function lastingColumns<Row extends LastingOrder>(
  of: LastingColumns<Row>,
): readonly CellColumn<Row>[] {
  return [
    ...PLACE_COLUMNS,
    ...(of.before ?? []),
    {
      id: "reason",
      label: "Reason",
      value: ({ reason }) => reason,
      cell: ({ reason }) => reason || "None given",
      cellClass: "muted",
    },
    { id: "by", label: of.by, value: of.giver, cell: of.giver },
    {
      id: "since",
      label: "Since",
      value: ({ since_ms }) => since_ms,
      isNumber: true,
      cell: ({ since_ms }) => <Timestamp time_ms={since_ms} />,
    },
    {
      id: "until",
      label: "Until",
      value: ({ until_ms }) => until_ms,
      isNumber: true,
      cellClass: "nowrap",
      cell: (row) => (
        <>
          {row.until_ms === null ? of.ends : <Timestamp time_ms={row.until_ms} />}
          {of.end(row)}
        </>
      ),
    },
  ];
}
