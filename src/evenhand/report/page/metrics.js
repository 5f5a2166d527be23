(() => {
  const { data, byId, element, chartIn, withRows, sortable, filterable, start } = evenhand;
  const LEAST = 480, COLUMN = 44;

  const chart = (place, title, name, rows) => {
    place.append(element("h3", {}, title));
    const columns = new Set(rows.map((row) => row.column)).size;
    chartIn(place, name, `${title}: ${data.specs.light[name].description}`, (show) => show(withRows(name, rows), Math.max(LEAST, COLUMN * columns + 180)));
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
