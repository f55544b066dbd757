import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import {
  exactNumber,
  isMeasured,
  type Measured,
  NOT_LOADED,
  NOT_MEASURED,
  type Quantity,
} from "@/lib/format";

interface TileProps {
  label: string;
  /** the question mark beside the label */
  help: ReactNode;
  value: Measured;
  as: (value: number) => Quantity;
  note: string;
  /** the line below the number */
  children: ReactNode;
}

export function Tile({ label, help, value, as, note, children }: TileProps) {
  const quantity = isMeasured(value) ? as(value) : null;
  return (
    <div className="tile" title={isMeasured(value) ? exactNumber(value) : undefined}>
      <span className="tile-label">
        {label}
        {help}
      </span>
      {quantity === null ? (
        <span className="tile-unknown">{NOT_MEASURED}</span>
      ) : (
        <span className="tile-value">
          {quantity.value}
          <span className="unit">{quantity.unit}</span>
        </span>
      )}
      <span className="tile-note" title={note}>
        <NameText name={note} />
      </span>
      {children}
    </div>
  );
}

/** The number of a tile that could not be read. */
export function TileNotLoaded() {
  return (
    <span className="tile-unknown">
      <Unknown why={NOT_LOADED} />
    </span>
  );
}

/** The number of a tile while it loads. */
export function TileSkeleton() {
  return <Skeleton height={24} width="60%" radius="sm" mt={10} />;
}
