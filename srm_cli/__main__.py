"""`python -m srm_cli` is `srm`."""

from srm_cli.main import srm

srm(prog_name="srm")
