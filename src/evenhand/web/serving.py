"""Starting and stopping the explorer: the address that it listens at, and the server."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn

from evenhand.errors import UsageError
from evenhand.web.app import application
from evenhand.web.explorer import Explorer
from evenhand.web.safety import check_token

PORT = 8377


def serve(
    explorer: Explorer,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    token: str | None = None,
    names: tuple[str, ...] = (),
    ready: Callable[[str], None],
) -> None:
    """Serve until somebody stops it; `ready` is told the address once it answers."""
    loopback = is_loopback(host)
    check_token(token)
    if token is None and not loopback:
        raise UsageError(f"{host} can be reached from elsewhere and needs a token: set EVENHAND_TOKEN, or add --token")
    with _listening(host, port) as listener:
        app = application(explorer, token=token, loopback=loopback, names=names)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, log_level="critical", lifespan="off", ws="none",
            server_header=False, date_header=False, timeout_graceful_shutdown=3, limit_concurrency=500,
        )  # fmt: skip
        server = uvicorn.Server(config)
        explorer.start()
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        threading.Thread(target=_tell, args=(server, ready, address), daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):  # that is how it is stopped
            server.run(sockets=[listener])


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _tell(server: uvicorn.Server, ready: Callable[[str], None], address: str) -> None:
    while not server.started and not server.should_exit:
        threading.Event().wait(0.02)
    if server.started:
        ready(address)


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    with contextlib.ExitStack() as opened:
        try:
            kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = opened.enter_context(socket.socket(kind, socket.SOCK_STREAM))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError as error:
            said = f"cannot listen at {host}, port {port} ({error.strerror}); choose another --port"
            raise UsageError(said) from error
        yield listener
