import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, Suspense } from "react";
import { expect, test, vi } from "vitest";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { lazyPart, modules } from "@/lib/view/lazy-part";
import { renderPart } from "@/test/render";

const Loaded = () => <p>The part is here</p>;
const ADDRESS = "https://srm.example/assets/Part-1.js";

function show(part: ReactNode): void {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  renderPart(
    <ErrorBoundary what="The part">
      <Suspense fallback="loading">{part}</Suspense>
    </ErrorBoundary>,
  );
}

test("a part that failed is loaded again by a retry, as often as it fails", async () => {
  const load = vi
    .fn<() => Promise<{ default: typeof Loaded }>>()
    .mockRejectedValueOnce(new Error("Importing a module script failed."))
    .mockRejectedValueOnce(new Error("Importing a module script failed."))
    .mockResolvedValue({ default: Loaded });
  const Part = lazyPart(load);
  show(<Part />);

  await userEvent.click(await screen.findByRole("button", { name: "Retry" }));
  await userEvent.click(await screen.findByRole("button", { name: "Retry" }));

  expect(await screen.findByText("The part is here")).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(3);
});

test("where the browser names the address that failed, the next import has another one", async () => {
  const failure = new TypeError(`Failed to fetch dynamically imported module: ${ADDRESS}`);
  const load = vi.fn<() => Promise<{ Loaded: typeof Loaded }>>().mockRejectedValue(failure);
  const imported = vi.spyOn(modules, "from").mockResolvedValue({ Loaded });
  const Part = lazyPart(load, (module) => module.Loaded);
  show(<Part />);

  await userEvent.click(await screen.findByRole("button", { name: "Retry" }));

  expect(await screen.findByText("The part is here")).toBeTruthy();
  expect(imported.mock.calls[0]?.[0]).toMatch(/^https:\/\/srm\.example\/assets\/Part-1\.js\?again=\d+$/);
  expect(load).toHaveBeenCalledTimes(1);
});
