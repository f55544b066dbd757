import { plural } from "@/lib/format";

interface SkippedGroupsProps {
  skipped: readonly { group: string; reason: string }[];
  total: number;
}

/** The groups that the flow does not translate, with the reasons. */
export function SkippedGroups({ skipped, total }: SkippedGroupsProps) {
  return (
    <details className="skipped-groups">
      <summary>{plural(total, "group")} not translated by this flow</summary>
      <ul>
        {skipped.map(({ group, reason }) => (
          <li key={group}>
            <b>{group}</b>: {reason}
          </li>
        ))}
      </ul>
      {skipped.length < total && (
        <p className="muted">The first {plural(skipped.length, "group")} are listed.</p>
      )}
    </details>
  );
}
