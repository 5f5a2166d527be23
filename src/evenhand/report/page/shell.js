"use strict";
// What every page does: it wears a theme, opens what is folded away where a link leads there, and prints all of it.
const shell = (() => {
  const root = document.documentElement, button = document.getElementById("theme");
  const drawn = [];
  const redraw = () => { for (const draw of drawn) draw(); };
  const dark = () => root.dataset.theme === "dark";

  const wear = (theme) => {
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
    button.textContent = theme === "dark" ? "Light" : "Dark";
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  button.hidden = false;
  wear(system.matches ? "dark" : "light");
  button.addEventListener("click", () => { wear(dark() ? "light" : "dark"); redraw(); });
  system.addEventListener("change", (event) => { wear(event.matches ? "dark" : "light"); redraw(); });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });

  // A phone shows the answer; its evidence is a touch away.
  if (innerWidth < 640) for (const fold of document.querySelectorAll("details[data-wide]")) fold.open = false;

  const reveal = (id) => {
    const target = id ? document.getElementById(id) : null;
    const inside = target && (target.querySelector(":scope > details") ?? target);
    for (let fold = inside?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  document.addEventListener("click", (event) => reveal(event.target.closest("a[href^='#']")?.hash.slice(1)));
  addEventListener("hashchange", () => reveal(location.hash.slice(1)));
  addEventListener("DOMContentLoaded", () => reveal(location.hash.slice(1)));

  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details:not([open])")) { fold.open = true; fold.dataset.printed = ""; }
    if (dark()) { wear("light"); redraw(); }
  });
  addEventListener("afterprint", () => {
    for (const fold of document.querySelectorAll("[data-printed]")) { fold.open = false; delete fold.dataset.printed; }
  });

  // Charts are drawn now, and again when the theme or the width changes.
  const start = (draw) => { drawn.push(draw); draw(); };
  return { dark, start };
})();
