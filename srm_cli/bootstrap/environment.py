"""The steps that set a clone up."""

import sys
from pathlib import Path
from typing import Literal

from srm_cli.bootstrap.stamp import digest_of, is_current, page_sources
from srm_cli.bootstrap.step import Step, run_command
from srm_cli.dev_clusters.class_archive import write_class_archive
from srm_cli.doctor.tools import NODE, check_tool
from srm_cli.errors import OperatorError
from srm_cli.machine.jars import JarSet, ensure_jars, missing_jars

Profile = Literal["demo", "dev"]
_BROKER_JARS: tuple[JarSet, ...] = ("kafka", "kafka-3.9")


class CloneSetup:
    """The steps for one clone. The profile `dev` contains `demo`, and what checks and tests need."""

    def __init__(self, project: Path, home: Path) -> None:
        self._project = project
        self._home = home
        self._venv = project / ".venv"
        self._logs = home / "logs"

    def packages(self, profile: Profile) -> list[Step]:
        if self._has_packages("dev") or (profile == "demo" and self._has_packages("demo")):
            return []
        log = self._logs / "setup-packages.log"
        return [Step(name="python packages", work=lambda log: self._install(profile, log), log=log)]

    def jars(self, *names: JarSet) -> list[Step]:
        return [
            Step(
                name=f"{name} jars",
                work=lambda log, name=name: _fetch(self._home, name, log),  # type: ignore[misc]  # bound now
                log=self._logs / f"setup-jars-{name}.log",
            )
            for name in names
            if missing_jars(self._home / "jars" / name, name)
        ]

    def page(self) -> list[Step]:
        frontend = self._project / "frontend"
        digest = digest_of(page_sources(frontend))
        stamp = frontend / "dist" / ".built-from"
        if is_current(stamp, digest):
            return []

        def build(log: Path) -> None:
            node = check_tool(NODE, is_optional=False)
            if node.state != "ok":
                raise OperatorError(
                    f"node: {node.text}; {node.remedy}; without it there is no web page, but everything else runs"
                )
            self._install_node_modules(frontend, log)
            run_command(["npm", "run", "build"], log, cwd=frontend, remedy="repair frontend/ and retry")
            stamp.write_text(digest)

        return [Step(name="web page", work=build, log=self._logs / "setup-page.log", required=False)]

    def _install_node_modules(self, frontend: Path, log: Path) -> None:
        lock = frontend / "package-lock.json"
        stamp = frontend / "node_modules" / ".installed-from"
        digest = digest_of([lock])
        if is_current(stamp, digest):
            return
        options = ["--no-audit", "--no-fund", "--ignore-scripts"]
        try:
            run_command(["npm", "ci", *options], log, cwd=frontend, remedy="trying npm install")
        except OperatorError:
            # `ci` refuses the lock when a registry lacks optional packages of other platforms; this accepts it.
            command = ["npm", "install", "--no-save", *options]
            run_command(command, log, cwd=frontend, remedy="is npm's registry reachable?")
        stamp.write_text(digest)

    def _install(self, profile: Profile, log: Path) -> None:
        python = self._venv / "bin" / "python"
        if not python.exists():
            remedy = "install the venv module (Debian: apt-get install python3-venv)"
            run_command([sys.executable, "-m", "venv", str(self._venv)], log, cwd=self._project, remedy=remedy)
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        remedy = "is pip's index reachable?"
        for name in ("build", profile):
            requirements = str(self._requirements(name))
            run_command([*pip, "--require-hashes", "-r", requirements], log, cwd=self._project, remedy=remedy)
        for built in _compiled_modules(self._project):  # a failed build would leave the old modules in use
            built.unlink()
        editable = ["--no-deps", "--no-build-isolation", "--editable", "."]
        run_command([*pip, *editable], log, cwd=self._project, remedy="delete .venv and retry")
        self._stamp(profile).write_text(self._digest(profile))

    def _has_packages(self, profile: Profile) -> bool:
        return is_current(self._stamp(profile), self._digest(profile))

    def _stamp(self, profile: Profile) -> Path:
        return self._venv / f".installed-{profile}"

    def _digest(self, profile: Profile) -> str:
        compiled = sorted((self._project / "replication").rglob("*.pyx"))
        required = [self._requirements(name) for name in ("build", profile)]
        return digest_of([self._project / "pyproject.toml", *compiled, *required])

    def _requirements(self, name: str) -> Path:
        return self._project / "requirements" / f"{name}.txt"


def _compiled_modules(project: Path) -> list[Path]:
    return [path for suffix in ("so", "c") for path in (project / "replication").rglob(f"*.{suffix}")]


def _fetch(home: Path, name: JarSet, log: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    folder = ensure_jars(home, name, lambda _: None)
    if name not in _BROKER_JARS:
        return
    try:
        write_class_archive(folder)
    except (OperatorError, OSError) as error:
        log.write_text(f"local brokers start slower, without an archive of their classes: {error}\n")
