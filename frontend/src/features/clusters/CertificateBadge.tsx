import { StateBadge } from "@/components/StateBadge";
import { plural } from "@/lib/format";
import { useNow } from "@/live/context";

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** The whole days for which a certificate is still valid; the last thirty are a warning. */
export function CertificateBadge({ until_ms }: { until_ms: number }) {
  const days_left = Math.floor((until_ms - useNow()) / DAY_MS);
  if (days_left < 0) return <StateBadge tone="bad" word={`Expired ${plural(-days_left, "day")} ago`} />;
  return (
    <StateBadge tone={days_left < SOON_DAYS ? "warn" : "ok"} word={`${plural(days_left, "day")} left`} />
  );
}
