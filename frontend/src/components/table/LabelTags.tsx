import { Link } from "@tanstack/react-router";

/** The labels of a cluster; each shows the clusters that have it. */
export function LabelTags({ labels }: { labels: Readonly<Record<string, string>> }) {
  return (
    <span className="tags">
      {Object.entries(labels).map(([key, value]) => (
        <Link key={key} className="label-link" to="/clusters" search={{ q: `${key}=${value}` }}>
          {key}={value}
        </Link>
      ))}
    </span>
  );
}
