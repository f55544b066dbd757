import { expect, test } from "vitest";
import type { ListedFlow } from "@/api/types";
import { proofOf } from "@/features/replications/proof";

const proven = (target: string, proven_until_ms: number | null, status = "healthy") =>
  ({ source: "us-east", target, status, proven_until_ms }) as ListedFlow;

test("the oldest proof is that of the flow whose proof ends first, and flows without one are counted", () => {
  const flows = [proven("a", 300), proven("b", 100), proven("c", null), proven("d", 200)];

  expect(proofOf(flows)).toEqual({ expected: 4, proven: 3, oldest: { flow: flows[1], until_ms: 100 } });
});

test("a disabled flow is not expected to have a proof, and its old one is none", () => {
  const flows = [proven("a", 100, "disabled"), proven("b", 300)];

  expect(proofOf(flows)).toEqual({ expected: 1, proven: 1, oldest: { flow: flows[1], until_ms: 300 } });
});

test("without proofs there is no oldest one", () => {
  expect(proofOf([proven("a", null)])).toEqual({ expected: 1, proven: 0, oldest: null });
});
