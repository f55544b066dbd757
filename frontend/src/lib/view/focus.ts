const focusing = (preventScroll: boolean) => (element: HTMLElement | null) =>
  element?.focus({ preventScroll });

/** For `ref`: moves the focus to a part of the page when it opens; the browser scrolls it into view. */
export const focusOpened = focusing(false);

/** For `ref`: gives the focus back to the place of a part that has closed; nothing moves under a pointer. */
export const focusInPlace = focusing(true);

/** True while no control has the focus: what had it is gone, or the page has just opened. */
export function isFocusFree(): boolean {
  return document.activeElement?.matches("body, h1") ?? true;
}
