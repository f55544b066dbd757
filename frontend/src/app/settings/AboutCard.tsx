import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import { Answered } from "@/components/answer/Answered";
import { Card } from "@/components/Card";

const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/v2/about", { signal })),
});

/** The release of the service, as a report of a problem names it. */
export function AboutCard() {
  const answer = useQuery(aboutQuery);
  return (
    <Card title="About">
      <Answered what="version" answer={answer} rows={1}>
        {({ version, python, database }) => (
          <div className="setting">
            <h3>Version</h3>
            <p>
              Streams Replication Manager {version}, on Python {python} and {database}
            </p>
            <a href="/swagger/">API reference</a>
          </div>
        )}
      </Answered>
    </Card>
  );
}
