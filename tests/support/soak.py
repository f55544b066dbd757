"""`make soak`: the whole system under random faults, then every invariant of the data path is checked.

`--calm` runs the demonstration instead and breaks nothing. Exit code 1 when an invariant does not hold.
"""

import argparse
import sys
import time

from tests.support.soaking.calm import run_calm
from tests.support.soaking.faults import EVERY
from tests.support.soaking.run import run_faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of faults; start and audit come on top")
    parser.add_argument("--seed", type=int, default=None, help="repeats the faults of an earlier run")
    parser.add_argument("--calm", action="store_true", help="the demonstration, undisturbed")
    parser.add_argument("--only", action="append", choices=EVERY, help="faults to inject; every one without it")
    arguments = parser.parse_args()
    if arguments.calm:
        return run_calm(arguments.minutes)
    seed = arguments.seed if arguments.seed is not None else int(time.time())
    return run_faults(arguments.minutes, seed, arguments.only or EVERY)


if __name__ == "__main__":
    sys.exit(main())
