import { Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { currentZone, onZone, setZone, type Zone, zoneName } from "@/lib/time";

/** The zone of the times on the page; what uses it is rendered again after a change. */
export function useZone(): Zone {
  return useSyncExternalStore(onZone, currentZone);
}

/** Shows the zone of all times and changes between the local one and UTC. */
export function ZoneSwitch() {
  const zone = useZone();
  const name = zoneName(Date.now());
  const other = zone === "utc" ? "Show local times" : "Show times in UTC";
  return (
    <Tooltip label={other}>
      <button
        type="button"
        className="zone-switch"
        aria-label={`${name}: ${other.toLowerCase().replace("utc", "UTC")}`}
        onClick={() => setZone(zone === "utc" ? "local" : "utc")}
      >
        {name}
      </button>
    </Tooltip>
  );
}
