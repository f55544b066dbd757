import { useEffect, useRef, useState } from "react";

/** Returns a ref for an element that scrolls, and true while all of the element is in view. */
export function useFits<Of extends HTMLElement>() {
  const ref = useRef<Of>(null);
  const [fits, setFits] = useState(true);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const resizing = new ResizeObserver(() => setFits(element.scrollWidth <= element.clientWidth));
    for (const part of [element, ...element.children]) resizing.observe(part);
    return () => resizing.disconnect();
  }, []);
  return { ref, fits };
}
