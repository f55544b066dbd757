import type { FlowTask, TaskOrdering } from "@/api/types";
import { Figure } from "@/components/Figure";
import type { OrderedColumn } from "@/components/table/ordering";
import { bytesPerSecond, count, records } from "@/lib/format";

/** The columns of a task's figures, for tables of a flow and of a driver. */
export const TASK_FIGURES: readonly OrderedColumn<FlowTask, TaskOrdering>[] = [
  {
    id: "partitions",
    label: "Partitions",
    hint: "Partitions that it copies",
    value: ({ partitions }) => partitions,
    isNumber: true,
    cell: ({ partitions }) => <Figure value={partitions} as={count} />,
    ordering: "partitions",
  },
  {
    id: "throughput",
    label: "Throughput",
    hint: "Bytes copied per second, as stored in the source",
    value: ({ bytes_per_second }) => bytes_per_second,
    isNumber: true,
    cell: ({ bytes_per_second }) => <Figure value={bytes_per_second} as={bytesPerSecond} />,
    ordering: "bytes_per_second",
  },
  {
    id: "lag",
    label: "Lag",
    hint: "Records of the source that are not copied yet",
    value: ({ lag_offsets }) => lag_offsets,
    isNumber: true,
    cell: ({ lag_offsets }) => <Figure value={lag_offsets} as={records} />,
    ordering: "lag_offsets",
  },
];
