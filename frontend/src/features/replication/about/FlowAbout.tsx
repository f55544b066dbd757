import "@/features/replication/about/about.css";
import { Button } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { type ReactNode, Suspense, useState } from "react";
import type { FlowAddress } from "@/api/queries";
import type { Flow } from "@/api/types";
import { TermNote } from "@/components/definition/TermNote";
import { RunbookLink } from "@/components/description/RunbookLink";
import { Unknown } from "@/components/Figure";
import { useMayFlow } from "@/components/flow/service";
import { LabelTags } from "@/components/table/LabelTags";
import { NOT_LOADED } from "@/lib/format";
import { lazyPart } from "@/lib/view/lazy-part";

const DescriptionDialog = lazyPart(() => import("@/features/replication/about/DescriptionDialog"));

interface FlowAboutProps extends FlowAddress {
  detail: Flow | undefined;
}

const NONE = <span className="muted">none</span>;

/** The owner, criticality, runbook and labels of a flow, with the button that edits them. */
export function FlowAbout({ source, target, detail }: FlowAboutProps) {
  const mayChange = useMayFlow({ source, target }, "flows.change");
  const [isEditing, setEditing] = useState(false);
  const shown = (show: (detail: Flow) => ReactNode) =>
    detail === undefined ? <Unknown why={NOT_LOADED} /> : show(detail);
  return (
    <>
      <div className="flow-about">
        <dl>
          <div>
            <dt>Owner</dt>
            <dd>{shown(({ owner }) => owner || NONE)}</dd>
          </div>
          <div>
            <dt>
              Criticality
              <TermNote term="criticality" name="Criticality" />
            </dt>
            <dd>{shown(({ criticality }) => criticality)}</dd>
          </div>
          <div>
            <dt>Runbook</dt>
            <dd>
              {shown(({ runbook = "" }) => (
                <RunbookLink runbook={runbook} />
              ))}
            </dd>
          </div>
          <div>
            <dt>Labels</dt>
            <dd>
              {shown(({ labels = {} }) =>
                Object.keys(labels).length === 0 ? NONE : <LabelTags labels={labels} list="/replications" />,
              )}
            </dd>
          </div>
        </dl>
        {mayChange && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPencil size={14} aria-hidden />}
            aria-label="Edit owner and labels"
            onClick={() => setEditing(true)}
          >
            Edit
          </Button>
        )}
      </div>
      {isEditing && (
        <Suspense fallback={null}>
          <DescriptionDialog flow={{ source, target }} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}
