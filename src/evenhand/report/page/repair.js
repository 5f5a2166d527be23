(() => {
  const { data, byId, element, chartIn, withRows, sortable, start } = evenhand;
  const LABELS = 170, LEAST = 150, LETTER = 7, MARGIN = 24, NARROW = 560;

  const options = (select, names) => {
    const chosen = select.value;
    select.replaceChildren(...names.map((name) => element("option", {}, name)));
    if (names.includes(chosen)) select.value = chosen;
  };
  const asked = () => data.questions.filter((one) => one.output === byId("output").value);
  // What was not asked is not offered: names may have a group that noun phrases have not.
  const offer = () => {
    options(byId("comparison"), [...new Set(asked().map((one) => one.comparison))]);
    options(byId("scope"), asked().filter((one) => one.comparison === byId("comparison").value).map((one) => one.scope));
  };

  // Vega takes what a chart says to those who cannot see it from its description.
  const titled = (title, spec) => ({ ...spec, description: `${title}: ${spec.description}` });
  const draw = (place, title, spec) => chartIn(place, title, titled(title, spec).description, (show) => show(titled(title, spec)));

  // A chart of panels does not know its whole width, so that of a panel is what the names leave.
  const gapSpec = (rows, room) => {
    const spec = structuredClone(withRows("gaps", rows));
    const names = Math.min(LABELS, LETTER * Math.max(...rows.map((row) => row.method.length)) + MARGIN);
    spec.spec.width = Math.max(room - names - MARGIN, LEAST);
    const families = new Set(rows.map((row) => row.family));
    for (const layer of spec.spec.layer) {
      for (const channel of [layer.encoding.color, layer.encoding.shape]) {
        if (!channel) continue;
        channel.legend.values = channel.scale.domain.filter((name) => name === "before" || families.has(name));
        channel.legend.columns = room < NARROW ? 2 : 4;
      }
    }
    return spec;
  };
  const drawGaps = () => {
    offer();
    const place = byId("gap-chart"), comparison = byId("comparison").value, scope = byId("scope").value;
    const number = data.questions.findIndex((one) => one.output === byId("output").value && one.comparison === comparison && one.scope === scope);
    const question = data.questions[number], title = `${question.output}, ${comparison}, among ${scope}`;
    place.replaceChildren();
    draw(place, title, gapSpec(question[byId("methods").value], place.clientWidth));
    for (const row of byId("outcomes").tBodies[0].rows) row.hidden = row.dataset.question !== String(number);
    byId("about").textContent = title;
  };

  const drawPrice = () => {
    const output = byId("price-of")?.value ?? Object.keys(data.prices)[0], place = byId("price-chart");
    place.replaceChildren();
    draw(place, `The cost, ${output}`, withRows("price", data.prices[output]));
  };

  const drawPaper = () => {
    const place = byId("paper-charts");
    if (!place) return;
    place.replaceChildren();
    for (const title of data.paper[byId("reading-of")?.value ?? Object.keys(data.paper)[0]]) {
      place.append(element("h3", {}, title));
      draw(place, title, withRows(`paper ${title}`, data.specs.light[`paper ${title}`].data.values));
    }
  };

  const begin = () => {
    const { output, comparison, scope } = data.questions[data.first];
    for (const [id, value] of Object.entries({ output, comparison, scope })) { offer(); byId(id).value = value; }
  };

  begin();
  sortable(byId("outcomes"));
  for (const id of ["output", "comparison", "scope", "methods"]) byId(id).addEventListener("change", drawGaps);
  byId("price-of")?.addEventListener("change", drawPrice);
  byId("reading-of")?.addEventListener("change", drawPaper);
  start(() => { drawGaps(); drawPrice(); drawPaper(); });
})();
