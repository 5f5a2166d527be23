(() => {
  const LEAST = 560;
  const { data, byId, chartIn, withRows, start } = evenhand;

  const chart = (place, name, rows) => {
    place.replaceChildren();
    chartIn(place, name, data.specs.light[name].description, (show) => show(withRows(name, rows), LEAST));
  };
  start(() => {
    chart(byId("gaps-chart"), "gaps", data.gaps);
    data.metrics.forEach((rows, place) => { if (rows.length) chart(byId(`metrics-chart-${place}`), "metrics", rows); });
  });
})();
