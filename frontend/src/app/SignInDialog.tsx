import { Button, Modal } from "@mantine/core";
import "@mantine/core/styles/Modal.css";
import "@mantine/core/styles/ModalBase.css";
import "@mantine/core/styles/Overlay.css";
import "@/components/dialog/dialog.css";
import { shareNonce } from "@/lib/nonce";

shareNonce();

function signIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/login?next=${encodeURIComponent(here)}`);
}

/** The page stays as it is under the dialog; signing in leads back to the same address. */
export default function SignInDialog() {
  return (
    <Modal.Root opened onClose={() => undefined} centered>
      <Modal.Overlay />
      <Modal.Content>
        <div className="dialog dialog-form">
          <Modal.Title>Your session has ended</Modal.Title>
          <p>Sign in again to continue. The page still shows what it had before the session ended.</p>
          <Button data-autofocus onClick={signIn}>
            Sign in
          </Button>
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
