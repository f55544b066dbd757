import { Modal } from "@mantine/core";
import "@mantine/core/styles/Modal.css";
import "@mantine/core/styles/ModalBase.css";
import "@mantine/core/styles/Overlay.css";
import "@/components/dialog/dialog.css";
import type { ReactNode } from "react";
import { shareNonce } from "@/lib/nonce";

shareNonce();

interface DialogProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog over the page, closed by Escape or by a click beside it; focus returns to the page. */
export function Dialog({ label, onClose, children }: DialogProps) {
  return (
    <Modal.Root opened onClose={onClose} size={600} yOffset="10vh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label={label}>
        <div className="dialog">{children}</div>
      </Modal.Content>
    </Modal.Root>
  );
}
