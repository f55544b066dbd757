import { ActionIcon, Menu } from "@mantine/core";
import { IconChartLine, IconDots, IconDownload, IconPhoto, IconTable } from "@tabler/icons-react";
import type { RefObject } from "react";
import { COMPARISONS, type Comparison } from "@/components/chart/comparison";
import { seriesAsCsv } from "@/components/chart/menu/files";
import { imageOf } from "@/components/chart/menu/image";
import type { ChartLine } from "@/components/chart/options";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import { CopyItem } from "@/components/copy/CopyItem";
import { saveBlob, saveFile } from "@/lib/files/save-file";
import { dayAndTime } from "@/lib/time";

interface ChartMenuProps {
  /** the name of the files */
  title: string;
  /** tells in an image what it shows */
  heading: string;
  lines: readonly ChartLine[];
  points: ChartPoints;
  /** the element that the canvas is in */
  box: RefObject<HTMLElement | null>;
  isTable: boolean;
  onTable: (isTable: boolean) => void;
  /** the earlier time that the chart is compared with; absent: that is chosen elsewhere */
  compared?: ComparedWith;
}

export interface ComparedWith {
  comparison: Comparison | undefined;
  onCompare: (comparison: Comparison | undefined) => void;
}

/** The same points as a table, a file, an image or a link. */
export default function ChartMenu(props: ChartMenuProps) {
  const { title, heading, lines, points, box, isTable, onTable, compared } = props;
  const saveImage = (): void => {
    const canvas = box.current?.querySelector("canvas");
    if (canvas == null) return;
    const { from_ms, to_ms } = points.window();
    const range = `${dayAndTime(from_ms)} to ${dayAndTime(to_ms)}`;
    imageOf(canvas, { heading, range, lines })?.toBlob(
      (blob) => blob !== null && saveBlob(`${title}.png`, blob),
    );
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label={`Options of the chart ${title}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={
            isTable ? <IconChartLine size={16} aria-hidden /> : <IconTable size={16} aria-hidden />
          }
          onClick={() => onTable(!isTable)}
        >
          {isTable ? "View as chart" : "View as table"}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => saveFile(`${title}.csv`, "text/csv", seriesAsCsv(lines, points.read()))}
        >
          Download as CSV
        </Menu.Item>
        <Menu.Item leftSection={<IconPhoto size={16} aria-hidden />} disabled={isTable} onClick={saveImage}>
          Download as image
        </Menu.Item>
        <CopyItem label="Copy a link to this range" text={() => linkTo(points)} />
        {compared !== undefined && <Comparisons {...compared} />}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A press on the chosen one compares with nothing. */
function Comparisons({ comparison, onCompare }: ComparedWith) {
  return (
    <>
      <Menu.Divider />
      {COMPARISONS.map((each) => {
        const isChosen = each.value === comparison?.value;
        return (
          <Menu.CheckboxItem
            key={each.value}
            checked={isChosen}
            onChange={() => onCompare(isChosen ? undefined : each)}
          >
            Compare with {each.label}
          </Menu.CheckboxItem>
        );
      })}
    </>
  );
}

/** The address of the page with the range in epoch milliseconds, so that it shows the same later. */
function linkTo({ window: shown }: ChartPoints): string {
  const address = new URL(window.location.href);
  const { from_ms, to_ms } = shown();
  address.searchParams.set("from", String(Math.round(from_ms)));
  address.searchParams.set("to", String(Math.round(to_ms)));
  return address.href;
}
