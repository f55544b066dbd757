import { Skeleton } from "@mantine/core";
import { IconAlertCircle, IconLock, type IconProps } from "@tabler/icons-react";
import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { ApiProblem, reasonOf } from "@/api/problem";
import { useOutage } from "@/components/answer/outage";
import { RefreshButton } from "@/components/answer/RefreshButton";

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
  const isTold = outage?.reason === reasonOf(error);
  if (problem?.status === 403) return <Forbidden what={what} detail={isTold ? null : problem.message} />;
  if (isTold) return <Told icon={IconAlertCircle}>{what} could not be loaded</Told>;
  const retry = <RefreshButton label="Retry" onRefresh={onRetry} />;
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

/** A failure whose reason the note above the page tells. */
function Told({ icon: Icon, children }: { icon: ComponentType<IconProps>; children: ReactNode }) {
  return (
    <p className="not-read">
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

/** `detail` is null when the note above the page tells it. */
function Forbidden({ what, detail }: { what: string; detail: string | null }) {
  const title = `Your role may not see ${what.charAt(0).toLowerCase()}${what.slice(1)}`;
  if (detail === null) return <Told icon={IconLock}>{title}</Told>;
  return (
    <EmptyState icon={IconLock} title={title}>
      {detail}
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
