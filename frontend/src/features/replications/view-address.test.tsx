/** The address holds the state of the view: each part is written to it. */
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { useAddressState } from "@/components/table/useAddressState";
import { FlowTabs } from "@/features/replication/FlowTabs";
import { useTableView } from "@/features/replications/table/search";
import { answerWith, renderAlone } from "@/test/render";

beforeEach(() => answerWith());

/** The view of the table in words, and a button that changes all of it. */
function View() {
  const [{ q, status, sort, stat }, change] = useTableView();
  const other = { q: "b", status: "failed", sort: "-lag", stat: "max" };
  const usual = { q: "", status: "", sort: "status", stat: "now" };
  return (
    <>
      <p>{[q, status, sort, stat].join("; ")}</p>
      <button type="button" onClick={() => change(other)}>
        other
      </button>
      <button type="button" onClick={() => change(usual)}>
        usual
      </button>
    </>
  );
}

test("filter, status, order and statistic of the table are in the address, the usual ones are not", async () => {
  const search = await renderAlone("/replications", <View />, "/replications?q=a&sort=lag&stat=min&flow=x");
  await screen.findByText("a; ; lag; min");

  fireEvent.click(screen.getByText("other"));
  await screen.findByText("b; failed; -lag; max");
  expect(search()).toEqual({ q: "b", status: "failed", sort: "-lag", stat: "max", flow: "x" });

  fireEvent.click(screen.getByText("usual"));
  await waitFor(() => expect(search()).toEqual({ flow: "x" }));
});

/** What draws one line alone, as the chart of the overview keeps it. */
function Alone() {
  const [only, hold] = useAddressState("only", "");
  return (
    <button type="button" onClick={() => hold(only === "" ? "a->b" : "")}>
      {only || "all"}
    </button>
  );
}

test("the line that is drawn alone is in the address until all are drawn again", async () => {
  const search = await renderAlone("/replications", <Alone />, "/replications?metric=lag&only=c->d");
  fireEvent.click(await screen.findByText("c->d"));
  await waitFor(() => expect(search()).toEqual({ metric: "lag" }));
  fireEvent.click(await screen.findByText("all"));
  await waitFor(() => expect(search()).toEqual({ metric: "lag", only: "a->b" }));
});

test("the part of a flow is in the address, and the range stays", async () => {
  const path = "/replications/$source/$target";
  const tabs = <FlowTabs source="us-east" target="quiet" />;
  const search = await renderAlone(path, tabs, "/replications/us-east/quiet?tab=tasks&from=now-6h");
  expect((await screen.findByText("Tasks")).getAttribute("aria-current")).toBe("page");

  fireEvent.click(screen.getByText("Topics"));
  await waitFor(() => expect(search()).toEqual({ tab: "topics", from: "now-6h" }));
  expect(screen.getByText("Topics").getAttribute("aria-current")).toBe("page");
});
