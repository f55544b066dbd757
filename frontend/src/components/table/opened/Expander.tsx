import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode, Ref } from "react";

interface ExpanderProps {
  isOpen: boolean;
  onToggle: () => void;
  /** the id of what it opens */
  controls?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}

/** The name of a row as the button that opens its details. */
export function Expander({ isOpen, onToggle, controls, ref, children }: ExpanderProps) {
  return (
    <button
      ref={ref}
      type="button"
      className="expander"
      aria-expanded={isOpen}
      aria-controls={isOpen ? controls : undefined}
      onClick={onToggle}
    >
      <IconChevronRight size={16} aria-hidden />
      {children}
    </button>
  );
}
