/** Which elements are in view or about to be: what is far from it need not be drawn each second. */
import { type RefObject, useEffect, useRef, useState } from "react";

/** About a screen of rows, so that a row is up to date before it is scrolled to. */
const MARGIN = "240px";

type OnChange = (isNear: boolean) => void;

const watched = new Map<Element, OnChange>();
const hasObserver = typeof IntersectionObserver !== "undefined";
let observer: IntersectionObserver | undefined;

/** One observer for all elements. */
function watch(element: Element, onChange: OnChange): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) watched.get(target)?.(isIntersecting);
    },
    { rootMargin: MARGIN },
  );
  watched.set(element, onChange);
  observer.observe(element);
  return () => {
    watched.delete(element);
    observer?.unobserve(element);
  };
}

/** Returns a ref for an element, and true while the element is in view or close to it. */
export function useNearView<Of extends Element>(): { ref: RefObject<Of | null>; isNear: boolean } {
  const ref = useRef<Of>(null);
  const [isNear, setNear] = useState(!hasObserver);
  useEffect(() => {
    if (hasObserver && ref.current !== null) return watch(ref.current, setNear);
  }, []);
  return { ref, isNear };
}
