"""The Java archives of local brokers, Spark and MirrorMaker 2: fetched once with Maven into `SRM_HOME/jars`."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from srm_cli.errors import OperatorError

JarSet = Literal["kafka", "kafka-3.9", "spark", "mirror"]
Progress = Callable[[str], None]

_PROGRESS_SECONDS = 4.0
# A folder is complete when the jars that carry its program are there.
_MARKERS = {
    "kafka": ("kafka_2.13-4.1.1.jar", "kafka-server-4.1.1.jar", "slf4j-simple-1.7.36.jar"),
    "mirror": ("connect-mirror-4.1.1.jar", "connect-runtime-4.1.1.jar", "slf4j-simple-1.7.36.jar"),
}
# Digests of the main jars of the previous Kafka version, whose brokers are used in tests only.
_KAFKA_39_SHA256 = {
    "kafka_2.13-3.9.1.jar": "5631c61356d55611c158291a69ad028f3c4fed5d0a610c62a0853c65c89d10f6",
    "kafka-clients-3.9.1.jar": "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9",
    "kafka-server-3.9.1.jar": "02b5a92645865e3152e9d1d829f6d4c4b4272f637b7fe4a2b00cabcbcd8df6f4",
}
_SPARK_SHA256 = {
    f"{name}.jar": digest
    for name, digest in (
        ("spark-sql-kafka-0-10_2.13-4.0.3", "6591c1556daee42a76e0bce3307c6b924df890142354e84ab38b546bbab27f89"),
        (
            "spark-token-provider-kafka-0-10_2.13-4.0.0",
            "f2be3b76f9e6cbe63379d4e4e0dc14f59dbf056ae2ad16ff15ac108004c86767",
        ),
        ("kafka-clients-3.9.1", "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9"),
        ("commons-pool2-2.12.0", "6d3bd18df8410f3e31b031aca582cc109342358a62a2759ebd0c4cdf30d06f8b"),
    )
}


def ensure_jars(home: Path, jar_set: JarSet, say: Progress = print) -> Path:
    """Return the folder `SRM_HOME/jars/<set>`; fetches missing jars. Safe to call concurrently."""
    folder = home / "jars" / jar_set
    if not missing_jars(folder, jar_set):
        return folder
    require_java()
    _fetch(folder, jar_set, say)
    missing = missing_jars(folder, jar_set)
    if missing:
        raise OperatorError(f"{folder} lacks or holds a damaged {missing[0]}: delete the folder and retry")
    return folder


def missing_jars(folder: Path, jar_set: JarSet) -> list[str]:
    """Return the names of jars that are missing or do not match their pinned digest."""
    pinned = {"spark": _SPARK_SHA256, "kafka-3.9": _KAFKA_39_SHA256}.get(jar_set)
    if pinned is None:
        return [name for name in _MARKERS[jar_set] if not (folder / name).is_file()]
    return [name for name, digest in pinned.items() if _sha256(folder / name) != digest]


def require_java() -> str:
    """Return the path of `java`; version 17 or newer is expected.

    Raises:
        OperatorError: Java is not installed.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(f"{home}/bin/java") if home else None
    found = found or shutil.which("java")
    if found is None:
        raise OperatorError("java is missing: install a Java 17 runtime (Debian: openjdk-17-jre-headless)")
    return found


def _fetch(folder: Path, jar_set: JarSet, say: Progress) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise OperatorError("mvn is missing: install Apache Maven 3.8 or newer (Debian: apt-get install maven)")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{jar_set}-") as scratch,
        as_file(files("srm_cli") / "poms" / jar_set / "pom.xml") as pom,
    ):
        log = Path(scratch) / "maven.log"
        downloaded = Path(scratch) / "jars"
        goal = "dependency:copy-dependencies"
        command = [maven, "-q", "-B", "-f", str(pom), goal, f"-DoutputDirectory={downloaded}", "-DincludeScope=runtime"]
        _run_maven(command, log, downloaded, jar_set, say)
        _move_into_place(downloaded, folder)


def _run_maven(command: list[str], log: Path, downloaded: Path, jar_set: JarSet, say: Progress) -> None:
    started = time.monotonic()
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as maven:
        while True:
            try:
                code = maven.wait(_PROGRESS_SECONDS)
                break
            except subprocess.TimeoutExpired:
                ready = len(list(downloaded.glob("*.jar"))) if downloaded.exists() else 0
                say(f"jars for {jar_set}: Maven is downloading, {ready} ready, {time.monotonic() - started:.0f} s")
    if code != 0:
        first_error = next((line for line in log.read_text().splitlines() if "ERROR" in line), "no message")
        raise OperatorError(
            f"Maven could not fetch the jars for {jar_set}: check that its repository is reachable: {first_error[:300]}"
        )


def _move_into_place(downloaded: Path, folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    try:
        downloaded.rename(folder)
    except OSError:  # a concurrent caller has created the folder
        if not folder.exists():
            raise


def _sha256(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
