"use strict";
// What pages with charts share: elements, charts, and tables that sort and filter.
const evenhand = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const { dark, start } = shell;

  // Elements are made from text, never from markup: names of systems and sentences are other people's words.
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== null));
    return made;
  };
  const shown = (value, decimals = 2) => (value < 0 ? "−" : "") + Math.abs(value).toFixed(decimals);

  const config = () => {
    const ink = dark() ? "#f5f5f4" : "#1c1917", line = dark() ? "#3b3835" : "#e7e5e4";
    const font = "system-ui, sans-serif";
    return {
      background: null, font, view: { stroke: null },
      axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12 }, title: { color: ink },
    };
  };
  // Two columns of the longest verdicts are wider than a phone.
  const NARROW = 560, PHONE = 400;
  const columnsOf = (room) => room < PHONE ? 1 : room < NARROW ? 2 : 4;
  const fitted = (target, spec, least = 0) => {
    const sized = structuredClone({ ...spec, width: Math.max(target.clientWidth, least) });
    for (const layer of sized.layer ?? []) {
      for (const channel of Object.values(layer.encoding)) {
        if (!channel.legend) continue;
        channel.legend.columns = columnsOf(target.clientWidth);
        if (channel.field === "verdict") channel.legend.values = channel.scale.domain.filter((name) => sized.data.values.some((row) => row.verdict === name));
      }
    }
    return sized;
  };
  const embed = (target, spec, least) => vegaEmbed(target, fitted(target, spec, least), { actions: false, config: config(), renderer: "svg", logLevel: 1 });

  // The chart keeps its place while it is drawn again, and its picture can be taken along.
  const chartIn = (place, name, label, draw) => {
    const chart = element("div", { class: "chart scroll", role: "img", tabindex: "0", "aria-label": label });
    const save = element("button", { type: "button", class: "save" }, "Save as SVG");
    save.setAttribute("aria-label", `Save as SVG: ${label}`);
    let view = null;
    save.addEventListener("click", async () => {
      const link = element("a", { href: URL.createObjectURL(new Blob([await view.toSVG()], { type: "image/svg+xml" })), download: `${name}.svg` });
      link.click();
      URL.revokeObjectURL(link.href);
    });
    place.append(chart, save);
    const show = (spec, least) => embed(chart, spec, least).then((result) => {
      view = result.view;
      // The chart is one picture with one description; the numbers stand in the table above.
      chart.querySelector("svg").setAttribute("aria-hidden", "true");
    });
    whenOpen(chart, () => draw(show, save));
  };

  // A chart is as wide as its place, and what is folded away has no width: it is drawn once somebody opens it.
  const whenOpen = (place, draw) => {
    const folded = place.parentElement?.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => whenOpen(place, draw), { once: true });
    else draw();
  };

  const withRows = (name, rows) => ({ ...data.specs[dark() ? "dark" : "light"][name], data: { values: rows } });


  const sortable = (table) => {
    const body = table.tBodies[0];
    const sortBy = (heading, place) => {
      const up = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => { const cell = row.cells[place]; return cell.dataset.value === undefined ? cell.textContent.trim() : parseFloat(cell.dataset.value); };
      const compare = (a, b) => (typeof a === "number" ? (isNaN(a) ? 1 : isNaN(b) ? -1 : a - b) : a.localeCompare(b));
      body.append(...[...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a), key(b))));
    };
    [...table.tHead.rows[0].cells].forEach((heading, place) => heading.querySelector("button").addEventListener("click", () => sortBy(heading, place)));
  };
  const filterable = (table, field, status) => field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase(), rows = table.tBodies[0].rows;
    let number = 0;
    for (const row of rows) { row.hidden = !row.textContent.toLowerCase().includes(wanted); number += row.hidden ? 0 : 1; }
    status.textContent = wanted ? `${number} of ${rows.length} shown` : "";
  });

  return { data, byId, element, shown, chartIn, withRows, sortable, filterable, start };
})();
