/** Finds texts that a screen cuts off. */
import type { Page } from "playwright-core";

/** The widths at which no table may be wider than its card. */
const PHONES: readonly number[] = [320, 390];

/** Texts that end in their box without a title, cells whose content is outside, and on phones tables that scroll. */
export async function cutTexts(page: Page, width: number): Promise<string[]> {
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
  }, PHONES.includes(width));
}
