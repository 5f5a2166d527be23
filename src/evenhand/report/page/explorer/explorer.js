"use strict";
// The explorer works without this: it spares reloads, follows jobs, and remembers the theme.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const wear = (theme) => { root.dataset.theme = theme; };
  wear(kept() ?? (system.matches ? "dark" : "light"));

  const themes = () => {
    const button = document.getElementById("theme");
    const say = () => {
      const dark = root.dataset.theme === "dark";
      button.textContent = dark ? "Light" : "Dark";
      button.setAttribute("aria-pressed", String(dark));
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      wear(root.dataset.theme === "dark" ? "light" : "dark");
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* then only this page wears it */ }
      say();
    });
    system.addEventListener("change", () => { if (!kept()) { wear(system.matches ? "dark" : "light"); say(); } });
    say();
  };

  // A part of another page, in its place on this one. The server made both, and parsing runs no script.
  let latest = 0;
  const bring = async (into, address, options) => {
    const place = document.getElementById(into), mine = ++latest;
    place.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, options);
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = made.getElementById(into) ?? made.getElementById("behind") ?? made.querySelector(".problem");
      if (mine !== latest || part === null) return part !== null;
      place.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));
      return true;
    } catch { return false; } finally { place.removeAttribute("aria-busy"); }
  };
  const show = (place) => {
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };
  const closing = (place, back) => {
    const close = document.createElement("button");
    close.type = "button"; close.className = "close"; close.textContent = "Close";
    close.addEventListener("click", () => { place.replaceChildren(); back.focus?.(); });
    place.prepend(close);
  };

  const links = () => document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[data-into], a[data-fills]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    if (link.dataset.fills) {
      event.preventDefault();
      const field = document.getElementById(link.dataset.fills);
      field.value = link.textContent;
      field.form.requestSubmit();
      return;
    }
    const place = document.getElementById(link.dataset.into), address = link.href.baseVal ?? link.href;
    if (!place || !place.classList.contains("behind-it")) return;
    event.preventDefault();
    if (!await bring(link.dataset.into, address)) { location.href = address; return; }
    closing(place, link);
    place.scrollTop = 0;
    show(place);
  });

  const forms = () => {
    for (const form of document.querySelectorAll("form[data-into]")) form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const sent = new URLSearchParams(new FormData(form));
      if (await bring(form.dataset.into, form.action, { method: "POST", body: sent })) show(document.getElementById(form.dataset.into));
      else form.submit();
    });
    for (const field of document.querySelectorAll("select[data-submits]")) field.addEventListener("change", () => field.form.requestSubmit());
  };

  const choosing = () => {
    const form = document.getElementById("choose");
    if (!form) return;
    const [compare, follow] = form.querySelectorAll("#chosen button"), said = document.getElementById("chosen-said");
    const tell = () => {
      const number = form.querySelectorAll("input:checked").length;
      compare.disabled = number !== 2;
      follow.disabled = number < 1;
      said.textContent = number === 0 ? "Tick two audits to compare them, or several to follow." : `${number} chosen`;
    };
    form.addEventListener("change", tell);
    tell();
  };

  const waiting = () => {
    const job = document.getElementById("job");
    if (!job || !("waits" in job.dataset)) return;
    const again = async () => {
      if (!await bring("job", location.href)) { setTimeout(again, 3000); return; }
      if (job.querySelector(".working")) setTimeout(again, 700);
    };
    setTimeout(again, 700);
  };

  // A phone shows the answer; its evidence is a touch away.
  const narrow = () => { if (innerWidth < 640) for (const fold of document.querySelectorAll("details[data-wide]")) fold.open = false; };

  document.addEventListener("DOMContentLoaded", () => { narrow(); themes(); links(); forms(); choosing(); waiting(); });
})();
