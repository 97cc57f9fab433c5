import hashlib
import socket
import tempfile
from email.message import Message
from urllib.error import HTTPError, URLError

import pytest

from textensor.datasets import download
from textensor.datasets.download import failure, fetch

BODY = bytes(range(256)) * 9000  # more than two chunks
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def opened(monkeypatch):
    """The temporary files that a download makes."""
    files = []
    make = tempfile.TemporaryFile

    def remember(*args, **kwargs):
        files.append(make(*args, **kwargs))
        return files[-1]

    monkeypatch.setattr(download.tempfile, "TemporaryFile", remember)
    return files


def test_gives_the_content_and_tells_of_progress(serve):
    steps = []
    with fetch(f"{serve(it=BODY)}/it", sha256=SHA256, progress=lambda *step: steps.append(step)) as file:
        assert file.read() == BODY
    assert steps[-1][1:] == (len(BODY), len(BODY))
    assert len(steps) > 1


def test_works_where_the_length_is_not_known(serve):
    steps = []
    address = serve(it=(200, {}, BODY))
    with fetch(f"{address}/it", progress=lambda *step: steps.append(step)) as file:
        assert file.read() == BODY
    assert steps[-1][1:] == (len(BODY), None)


def test_wrong_checksum(serve, opened):
    with pytest.raises(ValueError, match="sha256"):
        fetch(f"{serve(it=BODY[:-1])}/it", sha256=SHA256)
    assert opened[0].closed


def test_truncated(serve, opened):
    address = serve(it=(200, {"Content-Length": str(len(BODY) + 1)}, BODY))
    with pytest.raises(OSError, match=f"broke off after {len(BODY)} of {len(BODY) + 1} bytes"):
        fetch(f"{address}/it")
    assert opened[0].closed


def test_broken_chunks(serve, opened):
    address = serve(it=(200, {"Transfer-Encoding": "chunked"}, b"5\r\nab"))
    with pytest.raises(OSError, match="broke off"):
        fetch(f"{address}/it")
    assert opened[0].closed


def test_too_long(serve, opened):
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        fetch(f"{serve(it=BODY)}/it", max_bytes=1000)
    assert opened[0].closed


def test_missing(serve):
    with pytest.raises(OSError, match="404"):
        fetch(f"{serve()}/it")


def test_interrupted(serve, opened):
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(f"{serve(it=BODY)}/it", progress=interrupt)
    assert opened[0].closed


@pytest.mark.parametrize(
    "address", ["http://example.org/a", "file:///etc/hostname", "ftp://example.org/a", "a"]
)
def test_insecure_addresses_are_refused(address):
    with pytest.raises(ValueError, match="not an https address"):
        fetch(address)


@pytest.mark.parametrize("target", ["http://example.org/it", "ftp://example.org/it"])
def test_insecure_redirection_is_refused(serve, target):
    address = serve(there=(302, {"Location": target}, b""))
    with pytest.raises(ValueError, match=f"{target} is not an https address"):
        fetch(f"{address}/there")


def test_redirection_is_followed(serve):
    target = serve(it=BODY)
    with fetch(f"{serve(there=(302, {'Location': f'{target}/it'}, b''))}/there", sha256=SHA256) as file:
        assert file.read() == BODY


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (URLError(ConnectionRefusedError(111, "refused")), "the server cannot be reached: refused"),
        (URLError(socket.gaierror(-2, "Name not known")), "the server cannot be reached: Name not known"),
        (URLError(TimeoutError("timed out")), "the server cannot be reached: timed out"),
        (URLError("no host given"), "the server cannot be reached: no host given"),
        (
            HTTPError("", 404, "Not\x1b Found", Message(), None),
            "the server answers with HTTP Error 404: Not? Found",
        ),
        (TimeoutError("The read operation timed out"), "the server does not answer"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_why_it_failed_is_said_in_words(error, words):
    assert failure(error) == words
