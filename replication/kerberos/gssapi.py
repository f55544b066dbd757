"""The few functions of GSSAPI (RFC 2744) that a client's login needs, out of the machine's MIT Kerberos library.

Loaded at the first use with ctypes: the Python packages for it have no wheels for Linux, the library itself comes with
nearly every distribution. Calls may ask the KDC and then block.
"""

import ctypes
import ctypes.util
from collections.abc import Mapping
from functools import cache

_NAMES = ("libgssapi_krb5.so.2", "libgssapi_krb5.so")
_KRB5 = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"  # 1.2.840.113554.1.2.2
_HOST_BASED_SERVICE = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"
_PRINCIPAL_NAME = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01"
_INITIATE = 1
_MUTUAL, _REPLAY, _SEQUENCE, _INTEGRITY = 2, 4, 8, 32
_CONTINUE_NEEDED = 1
_ERROR_BITS = 0xFFFF0000
_GSS_CODE, _MECHANISM_CODE = 1, 2
_MOST_STATUS_TEXTS = 4


class KerberosError(ValueError):
    """No ticket, no library, or a server that does not prove itself; one line for an operator."""


class _Buffer(ctypes.Structure):
    _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]


class _Oid(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint32), ("elements", ctypes.c_char_p)]


class _Pair(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Pairs(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint32), ("elements", ctypes.POINTER(_Pair))]


@cache
def _library() -> ctypes.CDLL:
    for name in (*_NAMES, ctypes.util.find_library("gssapi_krb5")):
        if name:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    raise KerberosError(
        "GSSAPI needs the Kerberos library on this machine: install it (Debian: libgssapi-krb5-2, Red Hat: krb5-libs)"
    )


class SecurityContext:
    """One client's context with one service of one host. Not thread-safe; frees what it holds when it goes."""

    def __init__(self, service_at_host: str, principal: str | None, store: Mapping[str, str]) -> None:
        """`store` says where credentials are (`client_keytab`, `ccache`); empty: the user's own ticket cache."""
        self._gss = _library()
        self._context = ctypes.c_void_p()
        self._credential = ctypes.c_void_p()
        self._target = self._name(service_at_host, _HOST_BASED_SERVICE)
        self.is_complete = False
        try:
            if store:
                self._acquire(principal, store)
        except KerberosError:
            self.close()
            raise

    def step(self, token: bytes | None) -> bytes:
        """The next token for the server, empty when there is none. The first step may ask the KDC."""
        minor, out, flags = ctypes.c_uint32(), _Buffer(), ctypes.c_uint32()
        oid = _Oid(len(_KRB5), _KRB5)
        given = _filled(token) if token else None
        major = self._gss.gss_init_sec_context(
            ctypes.byref(minor),
            self._credential,
            ctypes.byref(self._context),
            self._target,
            ctypes.byref(oid),
            ctypes.c_uint32(_MUTUAL | _REPLAY | _SEQUENCE | _INTEGRITY),
            ctypes.c_uint32(0),
            None,
            ctypes.byref(given) if given is not None else None,
            None,
            ctypes.byref(out),
            ctypes.byref(flags),
            None,
        )
        answer = self._taken(out)
        self._check(major, minor.value, "no ticket for this broker")
        self.is_complete = not major & _CONTINUE_NEEDED
        return answer

    def unwrap(self, token: bytes) -> bytes:
        minor, out, given = ctypes.c_uint32(), _Buffer(), _filled(token)
        major = self._gss.gss_unwrap(
            ctypes.byref(minor), self._context, ctypes.byref(given), ctypes.byref(out), None, None
        )
        message = self._taken(out)
        self._check(major, minor.value, "the broker's message is not authentic")
        return message

    def wrap(self, message: bytes) -> bytes:
        """Signed, not encrypted."""
        minor, out, given = ctypes.c_uint32(), _Buffer(), _filled(message)
        major = self._gss.gss_wrap(
            ctypes.byref(minor), self._context, 0, ctypes.c_uint32(0), ctypes.byref(given), None, ctypes.byref(out)
        )
        token = self._taken(out)
        self._check(major, minor.value, "the answer cannot be signed")
        return token

    def close(self) -> None:
        minor = ctypes.byref(ctypes.c_uint32())
        if self._context.value:
            self._gss.gss_delete_sec_context(minor, ctypes.byref(self._context), None)
        if self._credential.value:
            self._gss.gss_release_cred(minor, ctypes.byref(self._credential))
        if self._target.value:
            self._gss.gss_release_name(minor, ctypes.byref(self._target))

    def __del__(self) -> None:
        if hasattr(self, "_target"):
            self.close()

    def _acquire(self, principal: str | None, store: Mapping[str, str]) -> None:
        minor = ctypes.c_uint32()
        elements = (_Pair * len(store))(*(_Pair(key.encode(), value.encode()) for key, value in store.items()))
        pairs = _Pairs(len(store), elements)
        name = self._name(principal, _PRINCIPAL_NAME) if principal else ctypes.c_void_p()
        major = self._gss.gss_acquire_cred_from(
            ctypes.byref(minor),
            name,
            ctypes.c_uint32(0),
            None,
            _INITIATE,
            ctypes.byref(pairs),
            ctypes.byref(self._credential),
            None,
            None,
        )
        if name.value:
            self._gss.gss_release_name(ctypes.byref(ctypes.c_uint32()), ctypes.byref(name))
        self._check(major, minor.value, f"no ticket for {principal or 'the default principal'}")

    def _name(self, text: str, kind: bytes) -> ctypes.c_void_p:
        minor, name, oid = ctypes.c_uint32(), ctypes.c_void_p(), _Oid(len(kind), kind)
        given = _filled(text.encode())
        major = self._gss.gss_import_name(
            ctypes.byref(minor), ctypes.byref(given), ctypes.byref(oid), ctypes.byref(name)
        )
        self._check(major, minor.value, f"{text!r} is no principal")
        return name

    def _taken(self, buffer: _Buffer) -> bytes:
        data = ctypes.string_at(buffer.value, buffer.length) if buffer.value and buffer.length else b""
        self._gss.gss_release_buffer(ctypes.byref(ctypes.c_uint32()), ctypes.byref(buffer))
        return data

    def _check(self, major: int, minor: int, what: str) -> None:
        if major & _ERROR_BITS:
            texts = (*self._texts(minor, _MECHANISM_CODE), *self._texts(major, _GSS_CODE))
            raise KerberosError(f"Kerberos: {what}: {'; '.join(dict.fromkeys(texts)) or f'error {minor}'}")

    def _texts(self, status: int, kind: int) -> list[str]:
        texts: list[str] = []
        more, oid = ctypes.c_uint32(), _Oid(len(_KRB5), _KRB5)
        while len(texts) < _MOST_STATUS_TEXTS:
            minor, out = ctypes.c_uint32(), _Buffer()
            major = self._gss.gss_display_status(
                ctypes.byref(minor),
                ctypes.c_uint32(status),
                kind,
                ctypes.byref(oid),
                ctypes.byref(more),
                ctypes.byref(out),
            )
            text = self._taken(out).decode("utf-8", "replace")
            if major & _ERROR_BITS:
                break
            texts.append(text)
            if not more.value:
                break
        return [
            text
            for text in texts
            if text and text != "Unspecified GSS failure.  Minor code may provide more information"
        ]


def _filled(data: bytes) -> _Buffer:
    holder = ctypes.create_string_buffer(data, len(data))
    buffer = _Buffer(len(data), ctypes.cast(holder, ctypes.c_void_p))
    buffer.holder = holder  # keeps the bytes alive
    return buffer
