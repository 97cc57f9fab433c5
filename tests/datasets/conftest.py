"""A machine without data, and a small server on it."""

import http.server
import threading
from contextlib import contextmanager

import pytest


@pytest.fixture
def bare_machine(tmp_path, monkeypatch):
    """No data folder and an empty cache; returns the cache folder."""
    monkeypatch.delenv("TEXTENSOR_DATA", raising=False)
    monkeypatch.setenv("TEXTENSOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "scikit"))
    return tmp_path / "cache"


@contextmanager
def _serve(pages):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status, headers, body = pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def serve():
    """Serve bodies (or whole answers) on this machine: ``address = serve(path=body)``."""
    running = []

    def start(**pages):
        answers = {
            f"/{name}": page if isinstance(page, tuple) else (200, {"Content-Length": str(len(page))}, page)
            for name, page in pages.items()
        }
        context = _serve(answers)
        running.append(context)
        return context.__enter__()

    yield start
    for context in running:
        context.__exit__(None, None, None)
