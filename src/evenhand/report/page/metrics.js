(() => {
  const { data, byId, element, shown, chartIn, withRows, sortable, filterable, start } = evenhand;
  const LEAST = 480, COLUMN = 44, NARROW = 18;

  const chart = (place, title, name, all, width = COLUMN) => {
    const picked = all.filter((row) => data.first.includes(row.name));
    const rows = byId("which").value === "all" || !picked.length ? all : picked;
    place.append(element("h3", {}, title));
    const columns = new Set(rows.map((row) => row.column)).size;
    chartIn(place, name, `${title}: ${data.specs.light[name].description}`, (show) => show(withRows(name, rows), Math.max(LEAST, width * columns + 180)));
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
  const drawModels = (label, attribute) => {
    const place = byId("models-charts");
    if (!place) return;
    place.replaceChildren();
    const systems = data.bySystem[attribute];
    if (systems && systems[label].length) chart(place, `${attribute}, class ${label}, model by model`, "systems", systems[label]);
    const correlations = data.correlations[label];
    if (correlations.length) chart(place, `Metrics with metrics, class ${label}`, "correlations", correlations, NARROW);
    else place.append(element("p", { class: "note" }, "Metrics are correlated over at least four models and attributes together."));
  };
  const draw = () => {
    const system = byId("system").value, label = byId("class").value, attribute = byId("attribute").value;
    const place = byId("charts");
    place.replaceChildren();
    if (data.several) chart(place, `${system}, class ${label}, by attribute`, "attributes", data.byAttribute[system][label]);
    const groups = data.byGroup[system][attribute];
    if (groups) chart(place, `${system}, ${attribute}, class ${label}, by group`, "groups", groups[label]);
    else place.append(element("p", { class: "note" }, `${system} was not measured by ${attribute}.`));
    drawModels(label, attribute);
  };

  sortable(byId("all"));
  filterable(byId("all"), byId("filter"), byId("shown"));
  for (const id of ["system", "class", "attribute", "which"]) byId(id).addEventListener("change", draw);
  start(draw);
})();
