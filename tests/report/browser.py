"""A headless Chromium, driven through a pipe: real clicks, keys, pictures, and no driver to install."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

SECONDS = 60


def find():
    """Return the program, or None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


class Browser:
    """One page. What it complains of (errors, refused scripts) is collected in ``complaints``."""

    def __init__(self, profile):
        there, self._write = os.pipe()
        self._read, back = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        flags += ["--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={profile}"]

        def as_three_and_four():
            # Out of the way first: the pipes may have these very numbers, the other way round.
            one, other = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (there, back))
            os.dup2(one, 3), os.dup2(other, 4)

        self._process = subprocess.Popen(
            [find(), *flags, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=as_three_and_four,
            start_new_session=True,
        )
        os.close(there), os.close(back)
        self._rest, self._number, self._session = b"", 0, None
        self.complaints, self._events = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            os.close(self._write)
        os.close(self._read)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def call(self, method, **parameters):
        """Send one command of the DevTools protocol and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("The browser does not answer.")
            part = os.read(self._read, 1 << 16)
            if not part:
                raise RuntimeError("The browser has gone.")
            self._rest += part
        message, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(message)
        event = message.get("method")
        if event == "Runtime.exceptionThrown":
            self.complaints.append(message["params"]["exceptionDetails"])
        elif event == "Log.entryAdded":
            self.complaints.append(message["params"]["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self._events.append(message["params"]["request"]["url"])
        elif event == "Page.javascriptDialogOpening":
            self.complaints.append("a dialog")
        return message

    def open(self, path, width=1280, height=900, dark=False):
        """Open a file, at a width, in light or dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.complaints.clear(), self._events.clear()
        self.call("Page.navigate", url=path.absolute().as_uri())
        self.run(
            "new Promise(done => "
            "document.readyState === 'complete' ? done() : addEventListener('load', done))"
        )

    @property
    def requests(self):
        """What the page asked for, itself included."""
        return list(self._events)

    def run(self, script):
        """Return what an expression of JavaScript is, or comes to be."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, selector):
        """Click the middle of an element, as a mouse does."""
        x, y = self.run(
            "(e => { e.scrollIntoView({block: 'center', inline: 'center'}); "
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, code, text=""):
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def picture(self, path, top=0, height=None):
        """Write a PNG of the page, or of a stretch of it."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        height = min(height or size["height"], size["height"] - top)
        clip = {"x": 0, "y": top, "width": size["width"], "height": height, "scale": 1}
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(answer["data"]))

    def paper(self, path):
        """Write a PDF of the page."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"]))
