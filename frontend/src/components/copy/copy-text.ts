/** Copies a text to the clipboard; rejects if the browser refuses. Over plain HTTP a browser has no `clipboard`. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard === undefined) copySelected(text);
  else await navigator.clipboard.writeText(text);
}

/** Copies through a hidden field; the focus returns to where it was. */
function copySelected(text: string): void {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.cssText = "position: fixed; top: 0; opacity: 0";
  document.body.append(field);
  field.focus({ preventScroll: true });
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!isCopied) throw new Error("The browser refused to copy.");
}
