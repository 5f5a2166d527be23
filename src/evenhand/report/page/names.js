(() => {
  const { data, byId, element, chartIn, withRows, start } = evenhand;

  start(() => {
    const place = byId("charts");
    place.replaceChildren();
    for (const { name, groups, rows } of data.charts) {
      const spec = structuredClone(withRows("names", rows));
      spec.encoding.color.scale.domain = groups;
      spec.layer[0].encoding.shape.scale.domain = groups;
      place.append(element("h3", {}, name));
      chartIn(place, `names-${name}`, `${name}: ${data.specs.light.names.description}`, (show) => show(spec, 560));
    }
  });
})();
