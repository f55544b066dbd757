import { useEffect, useRef, useState } from "react";

/** Returns a ref for an element that scrolls, and true while all of the element is in view. */
export function useFits<Of extends HTMLElement>() {
  const ref = useRef<Of>(null);
  const [fits, setFits] = useState(true);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const parts = [...element.children];
    const widest = () => Math.max(...parts.map((part) => part.getBoundingClientRect().width));
    // an element that clips has no width of scrolling
    const resizing = new ResizeObserver(() => setFits(widest() < element.clientWidth + 1));
    for (const part of [element, ...parts]) resizing.observe(part);
    return () => resizing.disconnect();
  }, []);
  return { ref, fits };
}
