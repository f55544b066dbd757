/** Finds texts that a screen cuts off. */
import type { Page } from "playwright-core";

/** The widths at which no table may be wider than its card. */
const PHONES: readonly number[] = [320, 390];

/**
 * Texts that end in their box without a title, texts outside an ancestor that clips them, cells whose content is
 * outside, and on phones tables that scroll.
 */
export async function cutTexts(page: Page, width: number): Promise<string[]> {
  const within = await boxesCut(page, PHONES.includes(width));
  return [...within, ...(await textsClipped(page))];
}

function boxesCut(page: Page, isPhone: boolean): Promise<string[]> {
  return page.evaluate((isPhone) => {
    const WIDE = ".series-table, .detail-row .table-scroll, .details-row .table-scroll, :has(> .matrix)";
    const isVisible = (element: HTMLElement) =>
      element.clientWidth > 1 &&
      !element.matches(".visually-hidden") &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const hasText = (element: HTMLElement) =>
      [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim() !== "",
      );
    const isCut = (element: HTMLElement) => {
      const ends = ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
      if (ends) return hasText(element) && element.closest("[title]") === null;
      return (
        element.matches("td, th") || (isPhone && element.matches(".table-scroll") && !element.matches(WIDE))
      );
    };
    return [...document.querySelectorAll<HTMLElement>("body *")]
      .filter(
        (element) => element.scrollWidth > element.clientWidth + 1 && isVisible(element) && isCut(element),
      )
      .map(
        ({ tagName, className, textContent, scrollWidth, clientWidth }) =>
          `${tagName} ${className} ${scrollWidth - clientWidth}: ${textContent?.slice(0, 60)}`,
      );
  }, isPhone);
}

/** The topology is moved by hand; a text that ends with an ellipsis and has a title is whole on hover. */
function textsClipped(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const MOVED = ".visually-hidden, .react-flow";
    const CLIPS = ["hidden", "clip"];
    /** Fractions of pixels, and the room of a line above and below its letters. */
    const [SIDE, EDGE] = [1, 4];
    /** The ancestors that can clip the element: one that is positioned leaves those that are not. */
    const clippers = (element: Element): Element[] => {
      const found: Element[] = [];
      let position = "static";
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        const style = getComputedStyle(at);
        const isLeft = position === "absolute" && style.position === "static" && style.transform === "none";
        if (position === "fixed") break;
        if (isLeft) continue;
        position = style.position;
        if ([style.overflowX, style.overflowY].some((word) => word === "auto" || word === "scroll")) break;
        if (CLIPS.includes(style.overflowX) || CLIPS.includes(style.overflowY)) found.push(at);
      }
      return found;
    };
    const isEllipsis = (box: Element) => {
      const { textOverflow, webkitLineClamp } = getComputedStyle(box);
      const ends = textOverflow === "ellipsis" || webkitLineClamp !== "none";
      return ends && box.closest("[title]") !== null;
    };
    const cutBy = (text: DOMRect, box: Element): number => {
      const { left, top } = box.getBoundingClientRect();
      const [from, over] = [left + box.clientLeft, top + box.clientTop];
      const { overflowX, overflowY } = getComputedStyle(box);
      const sides = Math.max(from - text.left, text.right - from - box.clientWidth) - SIDE;
      const edges = Math.max(over - text.top, text.bottom - over - box.clientHeight) - EDGE;
      return Math.max(CLIPS.includes(overflowX) ? sides : 0, CLIPS.includes(overflowY) ? edges : 0);
    };
    const cut: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (element === null || node.nodeValue?.trim() === "" || element.closest(MOVED) !== null) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width === 0) continue;
      const box = clippers(element).find(
        (each) => each.clientWidth > 1 && each.clientHeight > 1 && cutBy(text, each) > 0 && !isEllipsis(each),
      );
      if (box === undefined) continue;
      const by = Math.round(cutBy(text, box));
      cut.push(
        `${element.tagName} in ${box.tagName} ${box.className} ${by}: ${node.nodeValue?.slice(0, 60)}`,
      );
    }
    return cut;
  });
}
