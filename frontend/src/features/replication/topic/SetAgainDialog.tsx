import "@/components/form/form.css";
import { Button } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import type { setConfigsAgain, TopicAddress } from "@/api/topic";
import type { DriftedConfig } from "@/api/types";
import { sameConfigsAgain } from "@/components/by-hand/actions";
import { Dialog } from "@/components/dialog/Dialog";
import { Unknown } from "@/components/Figure";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";

interface SetAgainDialogProps {
  address: TopicAddress;
  items: readonly DriftedConfig[];
  order: UseMutationResult<Awaited<ReturnType<typeof setConfigsAgain>>, Error, string[]>;
  onClose: () => void;
}

/** Asks before configs of the remote topic are set, with the values of now and those that they get. */
export default function SetAgainDialog({ address, items, order, onClose }: SetAgainDialogProps) {
  const keys = items.map(({ key }) => key);
  const title = keys.length === 1 ? `Set ${keys[0]} again?` : `Set ${keys.length} configs again?`;
  return (
    <Dialog label={title} onClose={onClose}>
      <div className="card-body">
        <h2>{title}</h2>
        <p>
          The drivers set these values on the remote topic on {address.target} at once. The audit trail
          records it.
        </p>
        <dl className="settings-list">
          {items.map(({ key, source_value, target_value }) => (
            <div key={key}>
              <dt>
                <code>{key}</code>
              </dt>
              <dd>
                {target_value ?? <Unknown why="not set" />} → {source_value ?? <Unknown why="not set" />}
              </dd>
            </div>
          ))}
        </dl>
        <ByHandNote same={sameConfigsAgain(address, address.topic, keys)} />
        <FormProblem error={order.error} />
        <div className="form-buttons">
          <Button
            size="xs"
            loading={order.isPending}
            onClick={() => order.mutate(keys, { onSuccess: onClose })}
          >
            Set on {address.target}
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
