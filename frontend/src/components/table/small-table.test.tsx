import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ChangesTable } from "@/components/form/ChangesTable";
import { Expander } from "@/components/table/opened/Expander";
import { useOpenRows } from "@/components/table/opened/useOpenRows";
import { renderAlone, renderWithAddress } from "@/test/render";

const changes = (count: number) =>
  Array.from({ length: count }, (_, place) => ({
    key: `key ${place}`,
    before: null,
    after: String(place % 7),
  }));

const keys = () => screen.getAllByRole("rowheader").map((cell) => cell.textContent);

test("a small table is sorted by its headings and its columns can be chosen; the address holds both", async () => {
  const rows = [
    { key: "b", before: "1", after: null },
    { key: "a", before: "2", after: "3" },
  ];
  const search = await renderWithAddress(<ChangesTable label="Changes" rows={rows} />);
  expect(keys()).toEqual(["b", "a"]);

  await userEvent.click(screen.getByRole("button", { name: "Key" }));
  expect(keys()).toEqual(["a", "b"]);
  await userEvent.click(screen.getByRole("button", { name: "Columns of the changes" }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: "Before" }));

  await waitFor(() => expect(search()).toEqual({ changes_sort: "key", changes_columns: "after" }));
  expect(screen.queryByRole("columnheader", { name: /Before/ })).toBeNull();
  expect(screen.queryByLabelText("Filter the changes")).toBeNull();
});

test("a table with many rows has a filter, which the address holds", async () => {
  const search = await renderWithAddress(<ChangesTable label="Changes" rows={changes(21)} />);

  await userEvent.type(screen.getByLabelText("Filter the changes"), "KEY 20");
  await waitFor(() => expect(keys()).toEqual(["key 20"]));
  expect(search()).toEqual({ changes_q: "KEY 20" });
  await userEvent.type(screen.getByLabelText("Filter the changes"), "0");
  await userEvent.click(await screen.findByRole("button", { name: "Clear the filter" }));

  await waitFor(() => expect(keys()).toHaveLength(21));
});

function Opened() {
  const opened = useOpenRows("rows");
  return ["a,b", "c"].map((row) => (
    <Expander key={row} isOpen={opened.isOpen(row)} onToggle={() => opened.toggle(row)}>
      {row}
    </Expander>
  ));
}

test("the address holds the rows that are open", async () => {
  const search = await renderAlone("/replications", <Opened />, "/replications?rows_open=c");
  const isOpen = (name: string) => screen.getByRole("button", { name }).getAttribute("aria-expanded");
  expect([isOpen("a,b"), isOpen("c")]).toEqual(["false", "true"]);

  await userEvent.click(screen.getByRole("button", { name: "a,b" }));
  await waitFor(() => expect([isOpen("a,b"), isOpen("c")]).toEqual(["true", "true"]));
  await userEvent.click(screen.getByRole("button", { name: "c" }));

  await waitFor(() => expect(search()).toEqual({ rows_open: "a%2Cb" }));
  expect(within(document.body).getAllByRole("button", { expanded: true })).toHaveLength(1);
});
