"""Download one file, whole and checked, or not at all."""

import hashlib
import http.client
import tempfile
import urllib.error
import urllib.request
from typing import IO, Any
from urllib.parse import urlsplit

from textensor import __version__
from textensor.base.disk import reason
from textensor.base.progress import Progress, silent

MAX_BYTES = 500_000_000
TIMEOUT_SECONDS = 30.0
CHUNK = 1 << 20


def fetch(
    address: str, *, sha256: str | None = None, max_bytes: int = MAX_BYTES, progress: Progress = silent
) -> IO[bytes]:
    """Download a file into a temporary one that has no name, so that nothing stays whatever happens.

    The address is an https one; plain http only from this machine itself. Content that is too long or has
    another checksum is a ValueError; no answer, or a connection that breaks, is an OSError.
    ``progress`` is called with the bytes received and the bytes expected, None if the server does not say.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        digest = _receive(address, file, max_bytes, progress)
        if sha256 is not None and digest != sha256:
            raise ValueError(f"it sent a file with sha256 {digest} where {sha256} was expected")
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def failure(error: BaseException) -> str:
    """Return why a download failed, for use within a sentence: in words, without numbers of the system.

    Examples
    --------
    >>> failure(urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")))
    'the server cannot be reached: Connection refused'
    """
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers with {reason(error)[:200]}"
    if isinstance(error, urllib.error.URLError):
        why = error.reason
        return f"the server cannot be reached: {why if isinstance(why, str) else reason(why)}"
    if isinstance(error, TimeoutError):
        return "the server does not answer"
    return reason(error)


def _receive(address: str, file: IO[bytes], max_bytes: int, progress: Progress) -> str:
    """Copy what an address sends into a file and return its sha256."""
    _refuse_insecure(address)
    request = urllib.request.Request(address, headers={"User-Agent": f"textensor/{__version__}"})  # noqa: S310 - checked above
    digest, received = hashlib.sha256(), 0
    try:
        opener = urllib.request.build_opener(_SecureRedirections)  # asks the environment for proxies now
        with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            length = response.headers.get("Content-Length", "")
            expected = int(length) if length.isdecimal() else None
            while chunk := response.read(CHUNK):
                received += len(chunk)
                if received > max_bytes:
                    raise ValueError(f"it sends more than {max_bytes} bytes")
                digest.update(chunk)
                file.write(chunk)
                total = "" if expected is None else f" of {expected / 1e6:.1f}"
                progress(f"Downloading {address}: {received / 1e6:.1f}{total} MB", received, expected)
    except http.client.HTTPException as error:
        raise OSError(f"the connection broke off ({type(error).__name__})") from error
    if expected is not None and received != expected:
        raise OSError(f"the connection broke off after {received} of {expected} bytes")
    return digest.hexdigest()


class _SecureRedirections(urllib.request.HTTPRedirectHandler):
    """Follow a server to another address only if that is one to ask."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Refuse, or do as urllib does."""
        _refuse_insecure(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refuse_insecure(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (
        parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost"}
    ):
        raise ValueError(f"{address} is not an https address")
