import "@/components/table/label-tags.css";
import { Link } from "@tanstack/react-router";

interface LabelTagsProps {
  labels: Readonly<Record<string, string>>;
  /** the list of what has labels */
  list?: "/clusters" | "/replications";
}

/** The labels of a cluster or a flow; each shows the clusters or flows that have it. */
export function LabelTags({ labels, list = "/clusters" }: LabelTagsProps) {
  return (
    <span className="tags">
      {Object.entries(labels).map(([key, value]) => (
        <Link key={key} className="label-link" to={list} search={{ q: `${key}=${value}` }}>
          {key}={value}
        </Link>
      ))}
    </span>
  );
}
