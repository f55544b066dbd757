import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconArrowsLeftRight } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TopicAddress } from "@/api/topic";
import type { Side } from "@/api/types";
import { wholeNumber } from "@/lib/words";

interface RecordFormProps {
  address: TopicAddress;
  partition?: number | undefined;
  offset?: number | undefined;
  on?: Side;
}

/** Asks for a partition and an offset on either cluster, and opens the page of the record there. */
export function RecordForm({ address, on = "source", ...shown }: RecordFormProps) {
  const navigate = useNavigate();
  const [partition, setPartition] = useState(String(shown.partition ?? 0));
  const [offset, setOffset] = useState(shown.offset === undefined ? "" : String(shown.offset));
  const [side, setSide] = useState(on);
  const at = wholeNumber(partition);
  const wanted = wholeNumber(offset);
  const open = () => {
    if (at === null || wanted === null) return;
    void navigate({
      to: "/replications/$source/$target/topics/$topic/record",
      params: address,
      search: (search) => ({
        from: search.from,
        to: search.to,
        partition: at,
        offset: wanted,
        on: side === "target" ? "target" : undefined,
      }),
    });
  };
  return (
    <form
      className="record-form"
      aria-label="Record at an offset"
      onSubmit={(event) => {
        event.preventDefault();
        open();
      }}
    >
      <TextInput
        size="xs"
        label="Partition"
        inputMode="numeric"
        required
        value={partition}
        error={partition.trim() === "" || at !== null ? undefined : "A number such as 0"}
        onChange={(event) => setPartition(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        label="Offset"
        inputMode="numeric"
        required
        value={offset}
        error={offset.trim() === "" || wanted !== null ? undefined : "A number such as 1200"}
        onChange={(event) => setOffset(event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        label="On"
        value={side}
        data={[
          { value: "source", label: `${address.source} (source)` },
          { value: "target", label: `${address.target} (target)` },
        ]}
        onChange={(event) => setSide(event.currentTarget.value === "target" ? "target" : "source")}
      />
      <Button
        type="submit"
        size="xs"
        leftSection={<IconArrowsLeftRight size={14} aria-hidden />}
        disabled={at === null || wanted === null}
      >
        Show both records
      </Button>
    </form>
  );
}
