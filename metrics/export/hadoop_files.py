"""Files on any file system that Spark can reach, through Hadoop's classes in Spark's JVM."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from metrics.errors import JobError

# A rename of a file onto another one is one step there.
_RENAMES_OVER = ("hdfs", "viewfs")


class HadoopFiles:
    """The file system of a URI. Raises JobError, which names the URI, when it cannot be used."""

    def __init__(self, session: SparkSession, uri: str) -> None:
        jvm: Any = session._jvm  # Any: py4j finds Java's members at run time
        self._uri = uri
        self._jvm = jvm
        self._gateway: Any = session.sparkContext._gateway
        with self._translated():
            location = self._path(uri).toUri()
            self._scheme = str(location.getScheme())
            self._conf = session._jsparkSession.sessionState().newHadoopConf()
            self._files = jvm.org.apache.hadoop.fs.FileSystem.get(location, self._conf)
            self._raw = jvm.org.apache.hadoop.fs.RawLocalFileSystem()
            self._raw.initialize(jvm.java.net.URI("file:///"), self._conf)

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder; none when it does not exist."""
        with self._translated():
            path = self._path(folder)
            if not self._files.exists(path):
                return ()
            return tuple(str(each.getPath().getName()) for each in self._files.listStatus(path))

    def read(self, file: str) -> str | None:
        """The text of a file, or None when it does not exist."""
        with self._translated():
            path = self._path(file)
            if not self._files.exists(path):
                return None
            stream = self._files.open(path)
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    def write(self, file: str, text: str) -> None:
        """Write a new file."""
        with self._translated():
            stream = self._files.create(self._path(file), True)
            try:
                stream.write(bytearray(text.encode()))
            finally:
                stream.close()

    def replace(self, source: str, file: str) -> None:
        """Put a file in the place of another one, or of none: readers find the old one or the new one, complete.

        Local files and HDFS are renamed. In an object store the object is copied; it appears when it is complete.
        """
        with self._translated():
            path = self._path(file)
            self._files.mkdirs(path.getParent())
            if self._scheme == "file":
                # without the checksum file beside it, which a reader could see with the data of another version
                done = self._raw.rename(self._path(source), path)
            elif self._scheme in _RENAMES_OVER:
                done = self._rename_over(self._path(source), path)
            else:
                done = self.copy_over(source, file)
        if not done:
            raise JobError(f"cannot replace {file}")

    def copy_over(self, source: str, file: str) -> bool:
        """Replace a file by a copy of another one."""
        copy = self._jvm.org.apache.hadoop.fs.FileUtil.copy
        return bool(copy(self._files, self._path(source), self._files, self._path(file), False, True, self._conf))

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with its content, if there is one."""
        with self._translated():
            self._files.delete(self._path(path), True)

    def _rename_over(self, source: Any, path: Any) -> bool:
        kind = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._gateway.new_array(kind, 1)
        options[0] = kind.OVERWRITE
        self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(path.toUri(), self._conf).rename(
            source, path, options
        )
        return True

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Py4JJavaError as error:
            raise JobError(f"cannot use {self._uri}: {java_message(error)}") from error


def java_message(error: Py4JJavaError) -> str:
    """The innermost message of an exception of Java's in one line: of a Python traceback its last, else the first."""
    found, said = error.java_exception, ""
    while found is not None:
        said = str(found.getMessage() or found.getClass().getSimpleName())
        found = found.getCause()
    lines = [line.strip() for line in said.splitlines() if line.strip()] or ["unknown error"]
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
