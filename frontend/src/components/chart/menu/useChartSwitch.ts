import { useAddressState } from "@/components/table/useAddressState";

/** A switch of one chart; the address names the charts for which it is on: `log=latency,checkpoint`. */
export function useChartSwitch(name: "log" | "table", chart: string): [boolean, (isOn: boolean) => void] {
  const [held, hold] = useAddressState(name, "");
  const charts = held.split(",").filter((one) => one !== "");
  const set = (isOn: boolean): void => {
    const others = charts.filter((one) => one !== chart);
    hold((isOn ? [...others, chart] : others).join());
  };
  return [charts.includes(chart), set];
}
