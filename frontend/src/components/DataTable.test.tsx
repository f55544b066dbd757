import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { DataTable } from "@/components/DataTable";

const ROWS = Array.from({ length: 100 }, (_, place) => ({ lag: (place * 37) % 100 }));
const COLUMNS = [{ id: "lag", label: "Lag", isNumber: true, value: ({ lag }: { lag: number }) => lag }];
const ROW_PX = 48;

function Table() {
  const [sort, setSort] = useState("");
  return (
    <DataTable
      label="Lags"
      columns={COLUMNS}
      rows={ROWS}
      rowId={({ lag }) => String(lag)}
      sort={sort}
      onSort={setSort}
    >
      {({ lag }) => (
        <tr key={lag}>
          <td className="lag">{lag}</td>
        </tr>
      )}
    </DataTable>
  );
}

afterEach(() => void vi.restoreAllMocks());

test("a new order draws the rows in view first, keeps the height, and then draws all rows", async () => {
  vi.spyOn(HTMLTableSectionElement.prototype, "getBoundingClientRect").mockReturnValue(
    new DOMRect(0, window.innerHeight - 3 * ROW_PX, 500, ROWS.length * ROW_PX),
  );
  const { container } = render(<Table />);
  const lags = () => [...container.querySelectorAll(".lag")].map((cell) => Number(cell.textContent));
  const seen: { count: number; reserved: string | undefined }[] = [];
  new MutationObserver(() => {
    const reserved = container.querySelector<HTMLElement>("tbody[aria-hidden] td")?.style.height;
    seen.push({ count: lags().length, reserved });
  }).observe(container, { childList: true, subtree: true });
  await userEvent.click(screen.getByRole("button", { name: "Lag" }));
  await waitFor(() => expect(lags()).toHaveLength(100));
  expect(seen[0]).toEqual({ count: 4, reserved: `${96 * ROW_PX}px` });
  expect(lags()).toEqual(ROWS.map(({ lag }) => lag).sort((a, b) => b - a));
});
