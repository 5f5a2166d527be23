"""One page to print: who tested what, the verdicts with their intervals, what they hang on, and where to sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from evenhand.report.exports.account import Account, Row, Table, Track, said
from evenhand.report.exports.layout import cut, width, wrapped
from evenhand.report.exports.ordered import ordered

PAPER = (595, 842)
"""A4, in points."""
LEFT, TOP = 46, 50
MARGINS = (46, 36)
"""On the right and at the bottom."""
SCALES = (1.0, 1.1, 1.2)
"""A page that holds more is drawn larger and shrunk to the paper; the smallest letters are still 6 points high."""
INK, GREY, FAINT, BAND = "#111827", "#4b5563", "#d1d5db", "#e5e7eb"
FONT = "Liberation Sans"
TEXT, SMALL, HEADING, TITLE = 8.6, 7.6, 10.5, 16.0
LEADING = 1.32
BEYOND = 1.08
"""How far a picture goes beyond what is in it."""
TRACK = 118
"""How wide the small picture of a gap is."""
SHOWN_FIRST = ("higher", "lower", "made a gap", "reversed", "not reduced", "cannot tell")
"""Verdicts that are not left out where there is no room for all."""
TABLE_ENDS = 0.56
"""How far down the page a table may reach, so that the words below it find room."""
NARROWEST = 66
"""Of a column of words, before numbers have to break."""
MOST_LIMITS, MOST_WARNINGS = 8, 4
"""Lines of each."""


@dataclass
class Sheet:
    """A page that is filled from top to bottom: what is drawn on it, and where the next line goes."""

    scale: float = 1.0
    y: float = TOP
    drawn: list[str] = field(default_factory=list)
    left_out: int = 0
    """Results and sentences for which there was no room."""

    @property
    def right(self) -> float:
        """Where lines end."""
        return PAPER[0] * self.scale - MARGINS[0]

    @property
    def room(self) -> float:
        """How wide lines may be."""
        return self.right - LEFT

    @property
    def bottom(self) -> float:
        """Where the page ends."""
        return PAPER[1] * self.scale - MARGINS[1]

    def text(
        self, x: float, text: str, *, size: float = TEXT, weight: str = "normal", fill: str = INK, end: bool = False
    ) -> None:
        """A line at this height, from x on, or up to it."""
        anchor = ' text-anchor="end"' if end else ""
        self.drawn.append(
            f'<text x="{x:.2f}" y="{self.y:.2f}" font-family="{FONT}" font-size="{size:g}" font-weight="{weight}" '
            f'fill="{fill}"{anchor}>{escape(text)}</text>'
        )

    def line(self, x: float, to: float, *, fill: str = FAINT, wide: float = 0.7, y: float | None = None) -> None:
        """A rule across."""
        at = self.y if y is None else y
        self.drawn.append(
            f'<line x1="{x:.2f}" x2="{to:.2f}" y1="{at:.2f}" y2="{at:.2f}" stroke="{fill}" stroke-width="{wide:g}"/>'
        )

    def box(self, x: float, to: float, above: float, below: float) -> None:
        """A filled area."""
        self.drawn.append(
            f'<rect x="{x:.2f}" y="{self.y - above:.2f}" width="{to - x:.2f}" height="{above + below:.2f}" '
            f'fill="{BAND}"/>'
        )

    def dot(self, x: float, y: float, *, filled: bool) -> None:
        """A point; hollow where no gap is claimed."""
        inside = INK if filled else "#ffffff"
        self.drawn.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2.6" fill="{inside}" stroke="{INK}"/>')

    def lines(self, lines: Sequence[str], *, x: float = LEFT, size: float = TEXT, **look: str) -> None:
        """Lines below each other."""
        for line in lines:
            self.text(x, line, size=size, **look)  # type: ignore[arg-type]
            self.y += size * LEADING

    def heading(self, text: str) -> None:
        """What the next lines are about."""
        self.y += 7
        self.text(LEFT, text, size=HEADING, weight="bold")
        self.y += 4
        self.line(LEFT, self.right)
        self.y += TEXT * LEADING

    def svg(self) -> str:
        """The page."""
        (wide, high), scale = PAPER, self.scale
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
            f'viewBox="0 0 {wide * scale:g} {high * scale:g}">'
            f'<rect width="{wide * scale:g}" height="{high * scale:g}" fill="#ffffff"/>{"".join(self.drawn)}</svg>'
        )


def pdf(account: Account) -> bytes:
    """The page as a PDF, the same each time."""
    import vl_convert

    return ordered(vl_convert.svg_to_pdf(page(account)))


def page(account: Account) -> str:
    """The page as SVG: as large as it can be with everything on it, or as small as can be read."""
    sheets = (_filled(Sheet(scale), account) for scale in SCALES)
    sheet = next(sheets)
    for smaller in sheets:
        sheet = smaller if sheet.left_out else sheet
    return sheet.svg()


def _filled(sheet: Sheet, account: Account) -> Sheet:
    _head(sheet, account)
    sheet.heading("Results")
    _results(sheet, account.main)
    limits = _bulleted(sheet, account.limits, MOST_LIMITS)
    warnings = _bulleted(sheet, [one.text for one in account.warnings], MOST_WARNINGS)
    foot = _made_with(sheet, account)
    ends = sheet.bottom - _height_of_foot(foot) - _height(limits) - (_height(warnings) if warnings else 0)
    _words(sheet, account, ends)
    if warnings:
        sheet.heading("Keep in mind")
        _print_bullets(sheet, warnings)
    sheet.heading("What was not tested")
    _print_bullets(sheet, limits)
    _foot(sheet, account, foot)
    return sheet


def _head(sheet: Sheet, account: Account) -> None:
    sheet.y += TITLE / 2
    sheet.lines(wrapped(account.title, sheet.room, size=TITLE, weight="bold", most=2), size=TITLE, weight="bold")
    sheet.lines(wrapped(account.question, sheet.room, size=HEADING, most=2), size=HEADING, fill=GREY)
    sheet.y += 3
    sizes = sum(one.sentences for one in account.provenance.corpora)
    on = f"{account.corpus[1]}, {sizes:,} sentences" if sizes else account.corpus[1]
    facts = "; ".join(f"{name}: {value}" for name, value in [("Asked about", on), *said(account.provenance)])
    sheet.lines(wrapped(facts, sheet.room, size=TEXT, most=5))


@dataclass(frozen=True)
class _Column:
    """A column of the table: its heading, where it begins and ends, and whether its cells stand to the right."""

    heading: str
    start: float
    end: float
    right: bool

    def lines(self, text: str, size: float = TEXT) -> list[str]:
        return wrapped(text, self.end - self.start, size=size, most=3)

    def print(self, sheet: Sheet, lines: Sequence[str], *, weight: str = "normal", fill: str = INK) -> None:
        top = sheet.y
        for line in lines:
            sheet.text(self.end if self.right else self.start, line, weight=weight, fill=fill, end=self.right)
            sheet.y += TEXT * LEADING
        sheet.y = top


def _results(sheet: Sheet, table: Table) -> None:
    """The table, as far as there is room."""
    tracks = [row.track for row in table.rows if row.track is not None]
    columns = _columns(sheet, table, picture=bool(tracks))
    scale = _Scale.of(tracks, columns[0].end + 12) if tracks else None
    several = len({row.system for row in table.rows}) > 1
    _headings(sheet, columns)
    rows = _fitting(table.rows, columns, room=sheet.bottom * TABLE_ENDS - sheet.y, several=several)
    system = None
    for row in rows:
        if several and row.system != system:
            sheet.text(LEFT, cut(row.system, sheet.room, size=TEXT, weight="bold"), weight="bold")
            sheet.y += TEXT * LEADING
        system = row.system
        _print_row(sheet, row, columns, scale)
    if scale is not None:
        scale.print(sheet)
    left_out = len(table.rows) - len(rows)
    if left_out:
        order = "; gaps that were found come first here" if scale is not None else ""
        sheet.left_out += left_out
        sheet.lines([f"{_more(left_out, 'result')} in the JSON{order}."], fill=GREY)


def _columns(sheet: Sheet, table: Table, *, picture: bool) -> list[_Column]:
    """Each as wide as its cells ask for, at most; what is too much is taken off where there is most."""
    room, between = sheet.room - (TRACK + 24 if picture else 0), 10.0
    texts = [[heading, *(row.cells[place] for row in table.rows)] for place, heading in enumerate(table.headings)]
    wanted = [max(width(text, TEXT) for text in column) + 1 for column in texts]
    wide = _shared(wanted, table.alignment, room - between * (len(wanted) - 1))
    columns, x = [], float(LEFT)
    for place, (heading, one) in enumerate(zip(table.headings, wide, strict=True)):
        end = x + one
        columns.append(_Column(heading, x, end, table.alignment[place] == "r"))
        x = end + between + (TRACK + 24 - between if picture and place == 0 else 0)
    return columns


def _shared(wanted: Sequence[float], alignment: str, room: float) -> list[float]:
    """The widest gives way first, and numbers only where words are narrow already."""
    wide = list(wanted)
    while sum(wide) > room:
        words = [place for place, one in enumerate(wide) if alignment[place] == "l" and one > NARROWEST]
        widest = max(words or range(len(wide)), key=wide.__getitem__)
        wide[widest] -= min(2.0, sum(wide) - room)
    return wide


def _headings(sheet: Sheet, columns: Sequence[_Column]) -> None:
    lines = [column.lines(column.heading) for column in columns]
    for column, text in zip(columns, lines, strict=True):
        column.print(sheet, text, fill=GREY)
    sheet.y += max(map(len, lines)) * TEXT * LEADING + 1


def _fitting(rows: Sequence[Row], columns: Sequence[_Column], *, room: float, several: bool) -> list[Row]:
    """As many rows as there is room for, in their order; the worst verdicts are not the ones that are left out."""
    place = {verdict: number for number, verdict in enumerate(SHOWN_FIRST)}
    by_weight = sorted(range(len(rows)), key=lambda one: place.get(rows[one].verdict, len(place)))
    chosen: list[int] = []
    systems: set[str] = set()
    for one in by_weight:
        room -= _row_height(rows[one], columns)
        room -= TEXT * LEADING if several and rows[one].system not in systems else 0
        systems.add(rows[one].system)
        if room < 0:
            break
        chosen.append(one)
    return [rows[one] for one in sorted(chosen or by_weight[:1])]


def _row_height(row: Row, columns: Sequence[_Column]) -> float:
    lines = max(len(column.lines(cell)) for column, cell in zip(columns, row.cells, strict=True))
    return lines * TEXT * LEADING + 4


def _print_row(sheet: Sheet, row: Row, columns: Sequence[_Column], scale: _Scale | None) -> None:
    height = _row_height(row, columns)
    if scale is not None and row.track is not None:
        scale.draw(sheet, row.track, height, claimed=row.verdict in ("higher", "lower"))
    for column, cell in zip(columns, row.cells, strict=True):
        column.print(sheet, column.lines(cell), weight="normal")
    sheet.y += height


@dataclass(frozen=True)
class _Scale:
    """Where per cents of the range lie on the page."""

    start: float
    reach: float

    @classmethod
    def of(cls, tracks: Sequence[Track], start: float) -> _Scale:
        """Wide enough for all intervals and the tolerance."""
        ends = [abs(end) for track in tracks for end in (track.value, track.tolerance, *(track.interval or ()))]
        return cls(start, BEYOND * max(ends) or 1.0)

    def at(self, percent: float) -> float:
        return self.start + TRACK * (0.5 + percent / self.reach / 2)

    def draw(self, sheet: Sheet, track: Track, height: float, *, claimed: bool) -> None:
        """The tolerance as an area, zero as a rule, the interval as a bar, the gap as a point."""
        sheet.box(self.at(-track.tolerance), self.at(track.tolerance), TEXT, height - TEXT)
        middle = sheet.y - TEXT * 0.32
        zero = self.at(0)
        sheet.drawn.append(
            f'<line x1="{zero:.2f}" x2="{zero:.2f}" y1="{sheet.y - TEXT:.2f}" y2="{sheet.y + height - TEXT:.2f}" '
            f'stroke="{GREY}" stroke-width="0.5"/>'
        )
        if track.interval is not None:
            low, high = map(self.at, track.interval)
            sheet.line(low, max(high, low + 0.5), fill=INK if claimed else GREY, wide=2.4, y=middle)
        sheet.dot(self.at(track.value), middle, filled=claimed)

    def print(self, sheet: Sheet) -> None:
        """What the picture means, below it."""
        end = self.reach / BEYOND
        mark = f"{end:.1f}" if end < 10 else f"{end:.0f}"
        sheet.y -= 1
        for percent, text in ((-end, f"−{mark}"), (0.0, "0"), (end, mark)):
            sheet.text(self.at(percent) + width(text, SMALL) / 2, text, size=SMALL, fill=GREY, end=True)
        sheet.y += SMALL * LEADING
        text = "Gap in % of the range (points for taggers). Grey area: the tolerance. Filled: a gap that was shown."
        sheet.lines([text], size=SMALL, fill=GREY)


def _words(sheet: Sheet, account: Account, ends: float) -> None:
    """What was found, as far as there is room; how to read it comes last, in small letters."""
    sheet.heading("In words")
    small = [line for text in account.reading for line in wrapped(text, sheet.room, size=SMALL)]
    ends -= len(small) * SMALL * LEADING + 2
    order = {verdict: number for number, verdict in enumerate(SHOWN_FIRST)}
    sentences = sorted(account.words, key=lambda one: order.get(one.verdict, len(order)))
    printed = 0
    for one in sentences:
        lines = _bulleted(sheet, [one.text])
        more = 0 if printed + 1 == len(sentences) else TEXT * LEADING
        if sheet.y + _height(lines, headed=False) + more > ends:
            break
        _print_bullets(sheet, lines)
        printed += 1
    if printed < len(sentences):
        sheet.left_out += len(sentences) - printed
        sheet.lines([f"{_more(len(sentences) - printed, 'sentence')} in the JSON."], fill=GREY)
    sheet.lines(small, size=SMALL, fill=GREY)


def _more(count: int, noun: str) -> str:
    """
    >>> _more(1, "result"), _more(1200, "sentence")
    ('1 more result is', '1,200 more sentences are')
    """
    return f"{count:,} more {noun} is" if count == 1 else f"{count:,} more {noun}s are"


Bullets = list[tuple[str, bool]]
"""Lines, and whether each begins an item."""


def _bulleted(sheet: Sheet, texts: Sequence[str], most: int | None = None) -> Bullets:
    """Texts as items, as many as so many lines hold; of more, how many there are."""
    lines: Bullets = []
    for number, text in enumerate(texts):
        own = wrapped(text, sheet.room - 10, size=TEXT)
        last = number + 1 == len(texts)
        if most is not None and lines and len(lines) + len(own) > most - (not last):
            return [*lines, (f"{len(texts) - number} more on the page and in the model card.", True)]
        lines += [(line, place == 0) for place, line in enumerate(own)]
    return lines


def _height(lines: Bullets, *, headed: bool = True) -> float:
    return len(lines) * TEXT * LEADING + (11 + TEXT * LEADING if headed else 0)


def _print_bullets(sheet: Sheet, lines: Bullets) -> None:
    for line, begins in lines:
        if begins:
            sheet.text(LEFT, "•", fill=GREY)
        sheet.lines([line], x=LEFT + 10)


def _made_with(sheet: Sheet, account: Account) -> list[str]:
    """What the numbers come from, and the command that gives them again."""
    about = account.provenance
    corpora = [f"{one.name} {one.digest[:12]}" for one in about.corpora]
    systems = [f"{one.system} {(one.fingerprint or 'no fingerprint')[:14]}" for one in about.systems]
    made = [f"Evenhand {about.packages.get('evenhand', '')}", f"Python {about.python}"]
    made += [f"corpus {', '.join(corpora)}"] if corpora else []
    made += [f"systems {', '.join(systems)}"] if systems else []
    lines = wrapped("; ".join(made), sheet.room, size=SMALL, most=2)
    if about.command is not None:
        lines += wrapped(f"To repeat it: {about.command}", sheet.room, size=SMALL, most=2)
    return lines


def _height_of_foot(lines: Sequence[str]) -> float:
    return len(lines) * SMALL * LEADING + 54


def _foot(sheet: Sheet, account: Account, lines: Sequence[str]) -> None:
    """Where to sign, and what the numbers come from."""
    sheet.y = sheet.bottom - _height_of_foot(lines) + 36
    sheet.text(LEFT, cut(account.statement.auditor or "", 120, size=TEXT))
    sheet.y += 4
    ends = LEFT + sheet.room * 0.6
    sheet.line(LEFT, ends - 10, fill=INK, wide=0.5)
    sheet.line(ends + 10, sheet.right, fill=INK, wide=0.5)
    sheet.y += SMALL * LEADING
    sheet.text(LEFT, "Auditor, signature", size=SMALL, fill=GREY)
    sheet.text(ends + 10, "Date of the signature", size=SMALL, fill=GREY)
    sheet.y += SMALL * LEADING + 4
    sheet.lines(lines, size=SMALL, fill=GREY)
