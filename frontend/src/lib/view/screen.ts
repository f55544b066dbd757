/** Widths at which the page changes its shape. */

/** Phones: a list of cards instead of wide tables. */
export const NARROW = "(width < 640px)";
