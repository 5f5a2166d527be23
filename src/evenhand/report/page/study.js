(() => {
  const { data, byId, element, chartIn, withRows, sortable, filterable, start } = evenhand;
  const STEP = 16;

  const draw = () => {
    const dimension = byId("dimension").value, place = byId("charts");
    place.replaceChildren();
    for (const table of data.tables) {
      const rows = table.boxes[dimension];
      place.append(element("h3", {}, `${dimension}, ${table.title}`));
      chartIn(place, `differences-${table.name}-${dimension}`, `${dimension}, ${table.title}: ${data.specs.light[`boxes ${table.name}`].description}`,
        (show) => show(withRows(`boxes ${table.name}`, rows), STEP * rows.length));
      if (!table.points[dimension].length) continue;
      const fold = element("details", {}, element("summary", {}, "Δ-spread against quality"));
      place.append(fold);
      chartIn(fold, `spread-${table.name}-${dimension}`, `${dimension}, ${table.title}: ${data.specs.light[`spread ${table.name}`].description}`,
        (show) => show(withRows(`spread ${table.name}`, table.points[dimension])));
    }
  };

  sortable(byId("all"));
  filterable(byId("all"), byId("filter"), byId("shown"));
  byId("dimension").addEventListener("change", draw);
  start(draw);
})();
