/** The server puts the nonce of its content security policy into the page; injected style blocks must carry it. */
import { setNonce } from "get-nonce";

export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}

/** Passes the nonce to the library that locks scrolling under a dialog. */
export function shareNonce(): void {
  setNonce(styleNonce());
}
