import { IconMapOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState } from "@/components/states";

export function NotFound() {
  return (
    <>
      <PageTitle title="Page not found" />
      <section className="card">
        <EmptyState icon={IconMapOff} title="There is no page at this address">
          Go to the <Link to="/replications">replications</Link>.
        </EmptyState>
      </section>
    </>
  );
}
