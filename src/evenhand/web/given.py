"""What requests give, checked before anybody uses it, and the explorer that they are asked of."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from evenhand.settings import LARGEST
from evenhand.web.explorer import Explorer


async def _served(request: Request) -> Explorer:
    explorer: Explorer = request.app.state.explorer
    return explorer


Served = Annotated[Explorer, Depends(_served)]
Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The id of a result.")]
AskedId = Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")]
Ids = Annotated[list[AskedId], Query(max_length=100)]
Row = Annotated[int, Path(ge=0, le=100_000_000)]
Asked = Annotated[str, Query(max_length=500)]
Optional = Annotated[str | None, Query(max_length=500)]
First = Annotated[int, Query(ge=0, le=1_000_000)]
Most = Annotated[int, Query(ge=1, le=1_000)]
Number = Annotated[int, Query(ge=0, le=1_000_000)]
Limit = Annotated[float | None, Query(ge=-LARGEST, le=LARGEST)]
