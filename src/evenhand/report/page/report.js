(() => {
  const { data, byId, element, shown, chartIn, withRows, sortable, filterable, start } = evenhand;
  const MANY = 40, HEAT_WIDTH = 620, FEW = 6, FIRST = 12, MANY_ROWS = 12;

  const charts = (whole, name, comparisons, rowsOf, most = Infinity) => {
    whole.replaceChildren();
    let place = whole, seen = 0;
    for (const [i, comparison] of comparisons.entries()) {
      if (i && place === whole && seen + rowsOf(comparison).length > most) {
        place = element("details", {}, element("summary", {}, `${comparisons.length - i} more`));
        whole.append(place);
      }
      seen += rowsOf(comparison).length;
      const rows = rowsOf(comparison);
      const few = rows.length > MANY ? [...rows].sort((a, b) => Math.abs(b.gap ?? b.median) - Math.abs(a.gap ?? a.median)).slice(0, MANY) : rows;
      place.append(element("h3", {}, comparison.name));
      chartIn(place, name, `${comparison.name}: ${data.specs.light[name].description}`, (show, save) => {
        show(withRows(name, few));
        if (few === rows) return;
        const all = element("button", { type: "button" }, `Show all ${rows.length} (now the ${MANY} with the largest gaps)`);
        all.addEventListener("click", () => { all.remove(); show(withRows(name, rows)); });
        save.before(all);
      });
    }
  };

  const unpackBox = (box, system) => {
    const [verdict, low, whisker_low, q1, median, q3, whisker_high, high, points] = box;
    return { system, verdict, low, whisker_low, q1, median, q3, whisker_high, high, points };
  };
  const drawOverview = () => {
    charts(byId("forests"), "forest", data.comparisons, (comparison) => comparison.forest, MANY_ROWS);
    if (data.comparisons.some((comparison) => comparison.boxes)) {
      charts(byId("boxes"), "boxes", data.comparisons, (comparison) => comparison.boxes.map((box, i) => unpackBox(box, comparison.forest[i].system)));
    } else {
      byId("boxes").replaceChildren(element("p", { class: "note" }, "This audit was saved without its scores, so there are no differences to draw."));
    }
  };

  const drawFlips = () => {
    const place = byId("flips");
    if (!place) return;
    place.replaceChildren();
    for (const { name, rows } of data.flips) {
      const ways = rows.slice(0, 2).map((row) => row.way);
      place.append(element("h3", {}, name), element("p", { class: "note" }, `Left: ${ways[0]}. Right: ${ways[1]}.`));
      chartIn(place, "flips", `${name}: ${data.specs.light.flips.description}`, (show) => show(withRows("flips", rows)));
    }
  };

  const drawPaths = () => {
    const place = byId("paths");
    if (!place) return;
    place.replaceChildren();
    for (const { name, rows } of data.paths) {
      place.append(element("h3", {}, name));
      chartIn(place, "path", `${name}: ${data.specs.light.path.description}`, (show) => show(withRows("path", rows)));
    }
  };

  const drawSignals = () => {
    const choose = byId("signal-of");
    if (!choose) return;
    const place = byId("signals"), { name, called, share, bearers } = data.signals[choose.value];
    place.replaceChildren();
    for (const [kind, rows] of [["share", share], ["bearers", bearers]]) {
      if (!rows.length) continue;
      const spec = structuredClone(withRows(kind, rows));
      if (kind === "share") for (const layer of spec.layer) if (layer.encoding.x) layer.encoding.x.title = `bearers who are ${called}, %`;
      chartIn(place, `${kind}-${name}`, `${name}: ${data.specs.light[kind].description}`, (show) => show(spec));
    }
  };

  // The same numbers for those who cannot see the picture, or want to copy them.
  const wordTable = (label, rows) => {
    const heading = (text, numeric) => element("th", { scope: "col", ...(numeric ? { class: "number" } : {}) }, text);
    const body = rows.map((row) => element("tr", {}, element("th", { scope: "row" }, row.word), element("td", {}, row.emotion),
      element("td", { class: "number" }, shown(row.mean, 3)), element("td", { class: "number" }, String(row.n))));
    const head = element("thead", {}, element("tr", {}, heading("word (intended)"), heading("emotion"), heading("mean score", true), heading("sentences", true)));
    const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Mean score by emotion word, ${label}` }, element("table", {}, head, element("tbody", {}, ...body)));
    return element("details", {}, element("summary", {}, "The same as a table"), scroll);
  };
  const drawWords = () => {
    const choose = byId("words-of");
    if (!choose) return;
    const place = byId("words"), label = choose.selectedOptions[0].textContent;
    const { order, means } = data.words.outputs[choose.value];
    const rows = data.words.orders[order].map(([word, emotion, n], i) => ({ word, emotion, n, mean: means[i] }));
    const spec = structuredClone(withRows("words", rows));
    const present = data.words.emotions.filter((emotion) => rows.some((row) => row.emotion === emotion));
    for (const channel of ["color", "shape"]) {
      spec.layer[0].encoding[channel].scale.domain = data.words.emotions;
      spec.layer[0].encoding[channel].legend.values = present;
    }
    place.replaceChildren();
    chartIn(place, `words-${label}`, `${label}: ${data.specs.light.words.description}`, (show) => show(spec));
    place.append(wordTable(label, rows));
  };

  const bars = (heading, first, rows, most) => {
    if (!rows.length) return null;
    const body = rows.map(([label, value]) => {
      const width = most ? 50 * Math.abs(value) / most : 0;
      return element("tr", {}, element("th", { scope: "row" }, label), element("td", { class: "number" }, shown(value, 3)),
        element("td", {}, element("div", { class: "bar", "aria-hidden": "true" }, element("i", { class: value >= 0 ? "up" : "down", style: `width:${width}%` }))));
    });
    const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, first), element("th", { scope: "col", class: "number" }, data.terms.share), element("th", { scope: "col" }, element("span", { class: "unseen" }, "as a bar"))));
    return element("div", {}, element("h4", {}, heading), element("table", { class: "bars" }, head, element("tbody", {}, ...body)));
  };

  const marked = ([before, word, after]) => [before, element("mark", {}, word), after];

  const sharesOf = (found) => [found.persons, found.templates, found.words_shares, found.parts];
  const finding = (found, most) => {
    const place = element("div", {}, element("h3", {}, found.comparison),
      element("ul", { class: "sentences" }, element("li", { class: found.look }, element("span", { class: "tag" }, found.verdict), ` ${found.words}`)));
    if (found.without !== null && !found.alone) place.append(element("p", { class: "note" }, `Without ${found.person} the gap would be ${found.without}.`));
    const grid = element("div", { class: "grid" });
    const headings = [["People: contribution to the gap", "person"], ["Templates: contribution to the gap", "template"], ["Words: contribution to the gap", "word"], ["Gap by emotion", "part"]];
    sharesOf(found).forEach((rows, i) => grid.append(...[bars(...headings[i], rows, most)].filter((part) => part !== null)));
    place.append(grid);
    if (found.pieces) place.append(element("p", { class: "note" }, found.pieces));
    if (found.sentences.length) {
      const rows = found.sentences.map((pair) => element("tr", {}, element("td", {}, ...marked(pair.first)), element("td", { class: "number" }, pair.first_score),
        element("td", {}, ...marked(pair.second)), element("td", { class: "number" }, pair.second_score), element("td", { class: "number" }, pair.difference)));
      const headings = [found.first, data.terms.answer, found.second, data.terms.answer, "difference"].map((text, i) => element("th", { scope: "col", ...(i % 2 || i === 4 ? { class: "number" } : {}) }, text));
      place.append(element("h4", {}, "Sentences that differ most"), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Sentences that differ most, ${found.comparison}` },
        element("table", {}, element("thead", {}, element("tr", {}, ...headings)), element("tbody", {}, ...rows))));
    }
    return place;
  };

  // Of many findings, those that were decided stand open.
  const folded = (found, most) => {
    const place = element("details", {}, element("summary", {}, `${found.comparison} `,
      element("span", { class: `tag ${found.verdict.replaceAll(" ", "-")}` }, found.verdict)), finding(found, most));
    place.open = found.verdict === "higher" || found.verdict === "lower";
    return place;
  };

  const heatRows = (heat) => heat.values.flatMap((row, i) => row.map((value, j) => ({
    person: data.persons[i][0], group: data.persons[i][1], template: data.templates[j], value: value === null ? null : value / 1e5,
  })));

  const heatSpec = (rows, persons) => {
    const spec = structuredClone(withRows("heat", rows));
    const reach = Math.max(...rows.map((row) => Math.abs(row.value ?? 0))) || 1;
    spec.encoding.color.scale.domain = [-reach, 0, reach];
    spec.encoding.y.sort = persons;
    return spec;
  };

  const drawSystem = () => {
    const system = data.systems[byId("choose").value];
    const place = byId("detail");
    place.replaceChildren();
    // All bars of a system are on one scale, so that their lengths can be compared.
    const most = Math.max(...system.findings.flatMap(sharesOf).flat().map(([, value]) => Math.abs(value)), 0);
    for (const found of system.findings) place.append(system.findings.length > FEW ? folded(found, most) : finding(found, most));
    if (system.heat) {
      place.append(element("h3", {}, data.terms.heat_title),
        element("p", {}, data.terms.heat));
      const rows = heatRows(system.heat);
      const spec = heatSpec(rows, data.persons.map(([person]) => person));
      chartIn(place, "persons", `${system.label}: ${data.specs.light.heat.description}`, (show) => show(spec, HEAT_WIDTH));
    }
  };

  // On the first screen, those who differ most; with them it can be seen at a glance whether it is one person or many.
  const drawFirst = () => {
    const system = data.systems[data.first], place = byId("first-heat");
    if (!system.heat) return;
    const strength = system.heat.values.map((row) => Math.max(...row.map((value) => Math.abs(value ?? 0))));
    const kept = strength.map((_, i) => i).sort((a, b) => strength[b] - strength[a]).slice(0, FIRST).sort((a, b) => a - b);
    const rows = heatRows(system.heat).filter((row) => kept.some((i) => data.persons[i][0] === row.person));
    place.hidden = false;
    place.querySelector(".charts").replaceChildren();
    const spec = heatSpec(rows, kept.map((i) => data.persons[i][0]));
    spec.encoding.x.axis = { labels: false, ticks: false, orient: "top", title: "templates" };
    spec.encoding.color.legend = null;
    chartIn(place.querySelector(".charts"), "first-persons", `${system.label}: ${data.specs.light.heat.description}`, (show) => show(spec));
  };

  sortable(byId("findings"));
  filterable(byId("findings"), byId("filter"), byId("shown"));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-system]");
    if (link) { byId("choose").value = link.dataset.system; drawSystem(); }
  });
  byId("choose").addEventListener("change", drawSystem);
  byId("words-of")?.addEventListener("change", drawWords);
  byId("signal-of")?.addEventListener("change", drawSignals);

  start(() => { drawFirst(); drawOverview(); drawPaths(); drawSignals(); drawFlips(); drawWords(); drawSystem(); });
})();
