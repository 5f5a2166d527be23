"""A report on stdout, as JSON or for reading."""

from __future__ import annotations

import typer

from evenhand.report import Report


def show(report: Report, *, as_json: bool) -> None:
    """JSON and nothing else, or a table and sentences."""
    if as_json:
        typer.echo(report.to_json())
        return
    from rich.console import Console

    from evenhand.report.terminal import print_report

    console = Console()
    print_report(report, console)
    if report.measurements is not None:
        from evenhand.report.measured.terminal import print_summary

        print_summary(report.measurements, console)
