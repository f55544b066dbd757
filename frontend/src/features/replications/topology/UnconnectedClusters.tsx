import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { seldomClustersQuery } from "@/api/queries";
import { plural } from "@/lib/format";

/** The way to the clusters that no line of the topology reaches; nothing when there is none. */
export default function UnconnectedClusters({ connected }: { connected: readonly string[] }) {
  const { data } = useQuery(seldomClustersQuery);
  const others = (data?.items ?? []).map(({ alias }) => alias).filter((alias) => !connected.includes(alias));
  if (others.length === 0) return null;
  return (
    <>
      , and{" "}
      <Link to="/clusters" title={others.join(", ")}>
        {plural(others.length, "cluster")} without flows
      </Link>
    </>
  );
}
