"""The explorer's API: what its pages show, as JSON, CSV and SVG."""

from __future__ import annotations

from fastapi import APIRouter

from evenhand.web.answers import PROBLEMS
from evenhand.web.api import boards, comparing, evidence, results, trying, uploads

api = APIRouter(prefix="/api", responses=PROBLEMS)
for part in (results, evidence, boards, comparing, trying, uploads):
    api.include_router(part.routes)
