import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, useInfiniteQuery } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { keepErrors } from "@/api/kept-errors";
import { PagedTable } from "@/components/PagedTable";
import type { CellColumn } from "@/components/table/ColumnTable";

interface Item {
  name: string;
}

interface Answer {
  items: Item[];
  next: number | null;
}

const COLUMNS: readonly CellColumn<Item>[] = [
  { id: "name", label: "Name", value: ({ name }) => name, cell: ({ name }) => name },
];

function Fruits({ read }: { read: (page: number) => Promise<Answer> }) {
  const answer = useInfiniteQuery({
    queryKey: ["fruits"],
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: 0,
    getNextPageParam: (page: Answer) => page.next,
  });
  return (
    <PagedTable
      view={{
        what: "fruits",
        name: "fruits",
        all: COLUMNS,
        columns: COLUMNS,
        isUsual: true,
        onChoose: () => undefined,
        sort: "name",
        onSort: () => undefined,
      }}
      answer={answer}
      empty={<p>No fruit</p>}
      rowId={(row) => row.name}
    />
  );
}

function renderFruits(read: (page: number) => Promise<Answer>): void {
  const queries = keepErrors(new QueryClient({ defaultOptions: { queries: { retry: false } } }));
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <Fruits read={read} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}

const names = () => screen.getAllByRole("rowheader").map((cell) => cell.textContent);

test("further pages are read when asked for, and then there is nothing more to ask", async () => {
  const pages: Answer[] = [
    { items: [{ name: "pear" }], next: 1 },
    { items: [{ name: "apple" }], next: null },
  ];
  renderFruits(async (page) => pages[page] ?? { items: [], next: null });

  await userEvent.click(await screen.findByRole("button", { name: "Show more fruits" }));

  expect(await screen.findByText("apple")).toBeTruthy();
  expect(names()).toEqual(["apple", "pear"]);
  expect(screen.getByRole("region", { name: "Table of fruits" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Show more fruits" })).toBeNull();
});

test("rows that are not read yet are not called none", async () => {
  renderFruits(() => new Promise(() => undefined));

  expect(screen.getByRole("progressbar", { name: "Loading the fruits" })).toBeTruthy();
  expect(screen.queryByText("No fruit")).toBeNull();
});

test("no rows are the empty state, without a table", async () => {
  renderFruits(async () => ({ items: [], next: null }));

  expect(await screen.findByText("No fruit")).toBeTruthy();
  expect(screen.queryByRole("table")).toBeNull();
});

test("a failure says what could not be read, and a retry reads it", async () => {
  const read = vi
    .fn<(page: number) => Promise<Answer>>()
    .mockRejectedValueOnce(new Error("the service is away"))
    .mockResolvedValue({ items: [{ name: "fig" }], next: null });
  renderFruits(read);

  expect(await screen.findByText("The fruits could not be loaded")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Retry" }));

  expect(await screen.findByText("fig")).toBeTruthy();
});

test("a failure stays until an answer is there, also while it is asked for again", async () => {
  let answer: (value: Answer) => void = () => undefined;
  const later = new Promise<Answer>((resolve) => {
    answer = resolve;
  });
  const read = vi
    .fn<(page: number) => Promise<Answer>>()
    .mockRejectedValueOnce(new Error("the service is away"))
    .mockReturnValueOnce(later);
  renderFruits(read);
  await userEvent.click(await screen.findByRole("button", { name: "Retry" }));

  expect(read).toHaveBeenCalledTimes(2);
  expect(screen.getByText("The fruits could not be loaded")).toBeTruthy();
  expect(screen.queryByRole("progressbar")).toBeNull();
  answer({ items: [{ name: "fig" }], next: null });
  expect(await screen.findByText("fig")).toBeTruthy();
});
