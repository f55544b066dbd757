import { NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ListFilter } from "@/components/ListFilter";
import type { Node } from "@/features/configuration/properties/levels";

interface LevelTreeProps {
  nodes: readonly Node[];
  total: number;
  chosen: string | undefined;
}

/** From this number of places on, they can be filtered. */
const MANY = 12;

/** The five levels with their clusters, flows and prefixes, the weakest first. */
export function LevelTree({ nodes, total, chosen }: LevelTreeProps) {
  const [typed, setTyped] = useState("");
  const places = nodes.reduce((count, node) => count + node.children.length, 0);
  return (
    <nav className="card level-tree" aria-label="Levels">
      <p className="level-note">A level overrides those above it</p>
      {places > MANY && (
        <ListFilter
          label="Filter clusters and flows"
          value={typed}
          onChange={(text) => setTyped(text ?? "")}
        />
      )}
      <ul className="level-list">
        <li>
          <NodeLink id={undefined} label="All properties" count={total} chosen={chosen} />
        </li>
        {nodes.map((node) => (
          <Branch key={node.id} node={node} chosen={chosen} typed={typed.trim().toLowerCase()} />
        ))}
      </ul>
    </nav>
  );
}

function Branch({ node, chosen, typed }: { node: Node; chosen: string | undefined; typed: string }) {
  const children = node.children.filter(({ label }) => label.toLowerCase().includes(typed));
  return (
    <li>
      <NodeLink id={node.id} label={node.label} count={node.count} chosen={chosen} />
      {children.length > 0 && (
        <ul className="level-list">
          {children.map((child) => (
            <Branch key={child.id} node={child} chosen={chosen} typed="" />
          ))}
        </ul>
      )}
    </li>
  );
}

interface NodeLinkProps {
  id: string | undefined;
  label: string;
  count: number;
  chosen: string | undefined;
}

function NodeLink({ id, label, count, chosen }: NodeLinkProps) {
  return (
    <Link
      to="."
      search={(search) => ({ ...search, at: id, key: undefined })}
      aria-current={id === chosen ? "true" : undefined}
      data-chosen={id === chosen || undefined}
      resetScroll={false}
    >
      <span>{label}</span>
      <span className="level-count">{count}</span>
    </Link>
  );
}

interface LevelSelectProps extends LevelTreeProps {
  onChoose: (id: string | undefined) => void;
}

/** The same places as a list to choose from, for narrow screens. */
export function LevelSelect({ nodes, total, chosen, onChoose }: LevelSelectProps) {
  const flat = nodes.flatMap((node) => flattened(node, 0, chosen));
  return (
    <NativeSelect
      label="Level"
      className="level-select"
      data={[{ value: "", label: `All properties (${total})` }, ...flat]}
      value={chosen ?? ""}
      onChange={(event) => onChoose(event.currentTarget.value || undefined)}
    />
  );
}

/** The closed list shows the chosen place without the indent of its depth. */
function flattened(
  node: Node,
  depth: number,
  chosen: string | undefined,
): { value: string; label: string }[] {
  const indent = node.id === chosen ? "" : "\u00a0\u00a0".repeat(depth);
  return [
    { value: node.id, label: `${indent}${node.label} (${node.count})` },
    ...node.children.flatMap((child) => flattened(child, depth + 1, chosen)),
  ];
}
