import { Button, Skeleton } from "@mantine/core";
import { IconAlertCircle, IconLock, type IconProps, IconRefresh } from "@tabler/icons-react";
import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ApiProblem, reasonOf } from "@/api/problem";
import { useOutage } from "@/components/outage";

/** The states every card shares: loading, empty, error, forbidden. */

interface NoticeProps {
  icon: ComponentType<IconProps>;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  tone?: "bad";
}

export function EmptyState({ icon: Icon, title, children, action, tone }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone}>
      <Icon size={28} stroke={1.5} aria-hidden />
      <p className="notice-title">{title}</p>
      {children !== undefined && <div className="notice-text">{children}</div>}
      {action}
    </div>
  );
}

interface ErrorStateProps {
  /** the subject of the message, such as "The topics" */
  what: string;
  error: unknown;
  onRetry: () => void;
}

export function ErrorState({ what, error, onRetry }: ErrorStateProps) {
  const outage = useOutage();
  const problem = error instanceof ApiProblem ? error : null;
  if (problem?.status === 403) return <Forbidden what={what} detail={problem.message} />;
  if (outage?.reason === reasonOf(error)) return <NotRead what={what} />;
  const retry = (
    <Button size="xs" variant="default" leftSection={<IconRefresh size={14} aria-hidden />} onClick={onRetry}>
      Retry
    </Button>
  );
  return (
    <EmptyState icon={IconAlertCircle} title={`${what} could not be loaded`} action={retry} tone="bad">
      {reasonOf(error)}
      {problem?.requestId != null && (
        <>
          <br />
          Request <code>{problem.requestId}</code>
        </>
      )}
    </EmptyState>
  );
}

/** The note above the page says why. */
function NotRead({ what }: { what: string }) {
  return (
    <p className="not-read">
      <IconAlertCircle size={16} aria-hidden />
      {what} could not be loaded
    </p>
  );
}

function Forbidden({ what, detail }: { what: string; detail: string }) {
  return (
    <EmptyState icon={IconLock} title={`${what} are not open to your role`}>
      {detail} Ask an administrator for the viewer role.
    </EmptyState>
  );
}

/** Returns true once loading takes noticeably long, so that quick responses never flash a skeleton. */
export function useDelayed(isWaiting: boolean, delay_ms = 200): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(true), delay_ms);
    return () => clearTimeout(timer);
  }, [isWaiting, delay_ms]);
  return isWaiting && isLate;
}

/** Reserves space for rows that are loading, and draws grey rows after 200 ms. */
export function LoadingRows({ rows, label }: { rows: number; label: string }) {
  const isShown = useDelayed(true);
  return (
    <div className="loading-rows" role="progressbar" aria-busy="true" aria-label={label}>
      {Array.from({ length: rows }, (_, place) => place).map((place) => (
        <div key={place} className="loading-row">
          {isShown && <Skeleton height={14} radius="sm" />}
        </div>
      ))}
    </div>
  );
}
