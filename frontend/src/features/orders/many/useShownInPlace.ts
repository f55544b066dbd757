import { useLayoutEffect, useRef } from "react";

/** Rows below a panel keep their place in the window when it opens, changes its height or closes. */
export function useShownInPlace() {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) return;
    let height = 0;
    const follow = (next: number) => {
      if (next !== height) window.scrollBy({ top: next - height, behavior: "instant" });
      height = next;
    };
    const observer = new ResizeObserver(() => follow(roomOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      follow(0);
    };
  }, []);
  return panel;
}

function roomOf(element: HTMLElement): number {
  return element.offsetHeight + Number.parseFloat(getComputedStyle(element).marginBottom || "0");
}
