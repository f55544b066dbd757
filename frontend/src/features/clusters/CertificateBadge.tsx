import { StateBadge } from "@/components/StateBadge";
import { plural } from "@/lib/format";

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** Whole days until a time; negative after it. Pure. */
export function daysUntil(time_ms: number, now_ms: number): number {
  return Math.floor((time_ms - now_ms) / DAY_MS);
}

/** The days that a certificate is valid; the last thirty are a warning. */
export function CertificateBadge({ days_left }: { days_left: number }) {
  if (days_left < 0) return <StateBadge tone="bad" word={`Expired ${plural(-days_left, "day")} ago`} />;
  return (
    <StateBadge tone={days_left < SOON_DAYS ? "warn" : "ok"} word={`${plural(days_left, "day")} left`} />
  );
}
