import { Kbd, Select } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { statusWord } from "@/lib/status";
import { useSettledFlows } from "@/live/context";

/** Opens a flow from any page. */
export function FlowJump() {
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const flows = useSettledFlows() ?? [];
  useHotkeys([["mod+K", () => input.current?.focus()]], []);
  const data = flows.map((flow) => ({
    value: flow.key,
    label: `${flow.source} → ${flow.target}`,
    status: statusWord(flow.status),
  }));
  const go = (key: string | null): void => {
    const flow = flows.find((one) => one.key === key);
    if (flow === undefined) return;
    const params = { source: flow.source, target: flow.target };
    void navigate({
      to: "/replications/$source/$target",
      params,
      search: (search) => ({ from: search.from, to: search.to }),
    });
  };
  return (
    <Select
      ref={input}
      className="jump"
      aria-label="Go to a replication flow"
      placeholder="Go to a replication flow"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={<Kbd className="jump-key">Ctrl K</Kbd>}
      rightSectionWidth={64}
      rightSectionPointerEvents="none"
      data={data}
      value={null}
      onChange={go}
      searchable
      clearable={false}
      nothingFoundMessage="No flow with that name"
      limit={50}
      renderOption={({ option }) => (
        <span className="jump-option">
          {option.label}
          <span>{"status" in option ? String(option.status) : ""}</span>
        </span>
      )}
    />
  );
}
