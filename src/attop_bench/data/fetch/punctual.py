"""HTTP connections whose answers begin in time.

A timeout of a socket is for a single read: a server that sends a byte of its headers now and then is in time.
"""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.request
from contextlib import suppress
from typing import Any

__all__ = ["Http", "Https"]


class _Punctual(http.client.HTTPConnection):
    """Its timeout is also that of status and headers as a whole."""

    def getresponse(self) -> http.client.HTTPResponse:
        late = threading.Event()
        connection = self.sock

        def give_up() -> None:
            late.set()
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(float(self.timeout or 0), give_up)
        timer.daemon = True
        timer.start()
        try:
            answer = super().getresponse()
        except (OSError, http.client.HTTPException):
            if late.is_set():
                raise self._late() from None
            raise
        finally:
            timer.cancel()
        if late.is_set():  # a connection that ends is an end of the headers too
            answer.close()
            raise self._late()
        return answer

    def _late(self) -> TimeoutError:
        return TimeoutError(f"the headers of the answer took longer than {self.timeout:g} s")


class _SecurePunctual(_Punctual, http.client.HTTPSConnection):
    """The same over TLS."""


class Http(urllib.request.HTTPHandler):
    """Opens http:// with such connections."""

    def http_open(self, req: Any) -> Any:
        """Return the answer to a request."""
        return self.do_open(_Punctual, req)


class Https(urllib.request.HTTPSHandler):
    """Opens https:// with such connections."""

    def https_open(self, req: Any) -> Any:
        """Return the answer to a request."""
        return self.do_open(_SecurePunctual, req, context=self._context)  # type: ignore[attr-defined]
