import { type ReactNode, useState } from "react";
import { NameText } from "@/components/NameText";
import { PagedTable, type Pages } from "@/components/PagedTable";
import { Timestamp } from "@/components/Timestamp";
import { type CellColumn, Cells } from "@/components/table/ColumnTable";

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
  /** the name of the rows, such as "paused topics" */
  what: string;
  answer: Pages<Row>;
  /** shown when there is no order */
  empty: ReactNode;
  columns: readonly CellColumn<Row>[];
  usualSort?: string;
}

/** A table of orders for topics and partitions. */
export function TopicOrders<Row extends TopicOrder>(props: TopicOrdersProps<Row>) {
  const { what, answer, empty, columns, usualSort = "topic" } = props;
  const [sort, setSort] = useState(usualSort);
  return (
    <PagedTable
      isStacked
      what={what}
      answer={answer}
      expected={1}
      empty={empty}
      columns={columns}
      rowId={({ id }) => String(id)}
      sort={sort}
      onSort={setSort}
    >
      {(row, place, rows) => (
        <tr key={row.id}>
          <Cells columns={columns} place={place} rows={rows} />
        </tr>
      )}
    </PagedTable>
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
      cell: ({ reason }) => reason || "none given",
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
