"""The explorer's pages: what was asked for, handed to the room that renders."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from evenhand.web.pages import about_api, comparing, evidence, listing, results, trying, uploads

pages = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
for part in (listing, results, evidence, trying, comparing, uploads, about_api):
    pages.include_router(part.routes)
