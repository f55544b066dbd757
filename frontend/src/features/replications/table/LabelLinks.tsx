import { Link } from "@tanstack/react-router";
import { Unknown } from "@/components/Figure";

/** The labels of a flow; each shows the flows that have it. */
export function LabelLinks({ labels }: { labels: Readonly<Record<string, string>> }) {
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  if (texts.length === 0) return <Unknown why="no labels" />;
  return (
    <span className="labels">
      {texts.map((text) => (
        <Link
          key={text}
          to="/replications"
          className="label-link"
          search={(before) => ({ ...before, q: before.q === text ? undefined : text })}
          replace
          resetScroll={false}
          title={`Show the flows with ${text} only, or all again`}
        >
          {text}
        </Link>
      ))}
    </span>
  );
}
