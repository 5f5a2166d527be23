"""`evenhand serve`: the explorer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.printing import say


def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where results are saved, with all folders below.")
    ] = Path(),
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="SYSTEM", help="A system that may be tried; repeat it for more. Default: the lexicons."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at. One that others can reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8377,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="EVENHAND_TOKEN",
            show_default=False,
            help="What visitors must know, of 16 characters or more. Others on this machine may see it on the command "
            "line, and not in the variable.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="A host name by which it may be called, besides localhost.")
    ] = None,
    max_upload: Annotated[
        int, typer.Option(metavar="MB", min=1, max=2_000, help="How large a file may be that is sent.")
    ] = 50,
    open_: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Explore saved results in a browser: the sentences behind a verdict, comparisons, and sentences of your own."""
    from evenhand.errors import MissingExtra

    try:
        from evenhand.web.explorer import Explorer
        from evenhand.web.serving import serve as run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("fastapi", "uvicorn", "starlette", "python_multipart", "multipart"):
            raise MissingExtra("evenhand serve", "web") from error
        raise

    explorer = Explorer(folder, systems=system, most_upload=max_upload * 10**6)

    def ready(address: str) -> None:
        say(f"exploring {folder} at {address} (Ctrl-C stops it)")
        if open_:
            import webbrowser

            webbrowser.open(address)

    try:
        for one in system or ():
            explorer.trials.made(one)  # one that cannot be had is told now, not to somebody who tries it later
        run(explorer, host=host, port=port, token=token, names=tuple(name or ()), ready=ready)
    finally:
        explorer.close()
    say("stopped")
