(() => {
  const { data, byId, element, shown, chartIn, withRows, sortable, filterable, start } = evenhand;
  const LEAST = 480, COLUMN = 44;

  const chart = (place, title, name, rows) => {
    place.append(element("h3", {}, title));
    const columns = new Set(rows.map((row) => row.column)).size;
    chartIn(place, name, `${title}: ${data.specs.light[name].description}`, (show) => show(withRows(name, rows), Math.max(LEAST, COLUMN * columns + 180)));
    place.append(asTable(title, rows));
  };
  // The same numbers for those who cannot see the picture, or want to copy them.
  const asTable = (title, rows) => {
    const columns = [...new Set(rows.map((row) => row.column))], metrics = [...new Set(rows.map((row) => row.metric))];
    const value = new Map(rows.map((row) => [`${row.metric}\n${row.column}`, row.value]));
    const cell = (metric, column) => {
      const found = value.get(`${metric}\n${column}`);
      return element("td", { class: "number" }, found === undefined ? "" : found === null ? "undefined" : shown(found, 3));
    };
    const row = (metric) => element("tr", {}, element("th", { scope: "row" }, metric), ...columns.map((column) => cell(metric, column)));
    const head = element("thead", {}, element("tr", {}, ...["metric", ...columns].map((column) => element("th", { scope: "col" }, column))));
    const table = element("table", {}, head, element("tbody", {}, ...metrics.map(row)));
    const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table: ${title}` }, table);
    return element("details", {}, element("summary", {}, "The same as a table"), scroll);
  };
  const draw = () => {
    const system = byId("system").value, label = byId("class").value, attribute = byId("attribute").value;
    const place = byId("charts");
    place.replaceChildren();
    if (data.several) chart(place, `${system}, class ${label}, by attribute`, "attributes", data.byAttribute[system][label]);
    const groups = data.byGroup[system][attribute];
    if (groups) chart(place, `${system}, ${attribute}, class ${label}, by group`, "groups", groups[label]);
    else place.append(element("p", { class: "note" }, `${system} was not measured by ${attribute}.`));
  };

  sortable(byId("all"));
  filterable(byId("all"), byId("filter"), byId("shown"));
  for (const id of ["system", "class", "attribute"]) byId(id).addEventListener("change", draw);
  start(draw);
})();
