import { useState } from "react";
import { focusInPlace } from "@/lib/view/focus";

/** A menu that is loaded when it opens: its button is rendered again when it closes, and gets the focus back. */
export function useMenuButton() {
  const [isOpen, setOpen] = useState<boolean | null>(null);
  return {
    isOpen: isOpen === true,
    open: () => setOpen(true),
    close: () => setOpen(false),
    ref: isOpen === false ? focusInPlace : undefined,
  };
}
