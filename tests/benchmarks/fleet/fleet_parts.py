"""The parts of the fleet that are measured, each between brokers that nothing else has used."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from srm_cli.dev_clusters.registry import LocalCluster
from tests.benchmarks.fleet.control_bench import measure_control_worker
from tests.benchmarks.fleet.drivers_bench import measure_idle_drivers
from tests.benchmarks.fleet.fail_over_bench import compare_fail_over
from tests.benchmarks.report import Result

FLEET_PARTS = ("control", "drivers", "fail-over", "fail-over-default")


def chosen_fleet_parts() -> tuple[str, ...]:
    """Return the parts that FLEET names; all by default."""
    chosen = os.environ.get("FLEET", "")
    parts = tuple(part for part in chosen.split(",") if part) or FLEET_PARTS
    unknown = sorted(set(parts) - set(FLEET_PARTS))
    if unknown:
        sys.exit(f"FLEET={chosen}: there is no part {', '.join(unknown)}; parts are {', '.join(FLEET_PARTS)}")
    return parts


def measure_fleet(
    part: str, source: LocalCluster, target: LocalCluster, mirror: Path, folder: Path
) -> Iterator[Result]:
    if part == "control":
        yield from measure_control_worker(source, target, folder)
    elif part == "drivers":
        yield from measure_idle_drivers(source, target, folder)
    else:
        yield from compare_fail_over(source, target, mirror, folder, is_default=part == "fail-over-default")
