// Figures, panels and the curve of one job's page; every other page works without it.
"use strict";
(() => {
  // A list that renews itself waits while the keyboard is in it.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const place = event.detail.target;
    if (place.id === "jobs" && place.contains(document.activeElement)) event.detail.shouldSwap = false;
  });

  const job = document.getElementById("job");
  if (!job) return;
  const address = job.dataset.job, said = document.getElementById("said");
  let state = job.dataset.state, spoken = 0, plot = null;

  function figures(found) {
    for (const [name, text] of Object.entries(found.figures || {})) {
      const place = document.querySelector(`[data-figure="${name}"]`);
      if (!place) continue;
      if (place.textContent !== text) place.textContent = text;
    }
    if (found.state !== state) turn(found);
    if (found.spoken && Date.now() - spoken > 20000) say(found.spoken);
  }

  function phase(name) { return { starting: 0, ended: 2, failed: 2 }[name] ?? 1; }

  function turn(found) {
    if (phase(state) !== phase(found.state)) { location.reload(); return; }
    state = found.state;
    const badge = document.querySelector("[data-state-badge]");
    badge.className = `state ${state}`;
    badge.textContent = found.state_text;
    const had = document.activeElement;
    for (const form of document.querySelectorAll("[data-when]"))
      form.hidden = !form.dataset.when.split(" ").includes(state);
    if (had && had.closest("[hidden]")) document.querySelector("[data-when]:not([hidden]) button")?.focus();
    say(found.state_text);
  }

  function say(text) { said.textContent = text; spoken = Date.now(); }

  // A panel that is being read stays as it is: open lists and the keyboard's place outlive the next figures.
  function panel(found) {
    const place = document.getElementById(found.name);
    if (!place || place.contains(document.activeElement) || place.querySelector("details[open]")) return;
    place.innerHTML = found.html;
    if (window.htmx) htmx.process(place);
  }

  const HEIGHT = 220; // of the curve
  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  async function curve() {
    const place = document.getElementById("curve");
    if (!place || !window.uPlot) return;
    const answer = await fetch(`${address}/curve.json`);
    if (!answer.ok) return;
    const found = await answer.json();
    const data = [found.fetched, found.kept];
    const series = [{ label: place.dataset.fetched },
      { label: place.dataset.kept, stroke: colour("--accent"), width: 2, spanGaps: true, points: { show: false } }];
    if (found.breadth_first) {
      data.push(found.breadth_first);
      series.push({ label: place.dataset.base, stroke: colour("--soft"), width: 1.5, dash: [5, 4], spanGaps: true, points: { show: false } });
    }
    if (found.fetched.length < 2) return;
    if (plot) { plot.setData(data); return; }
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--faint"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const titled = (label) => ({ label, labelSize: 22, labelGap: 2, labelFont: axis.font });
    plot = new uPlot({ width: place.clientWidth, height: HEIGHT, series, axes: [{ ...axis, size: 28, ...titled(place.dataset.fetched) }, { ...axis, size: 52, ...titled(place.dataset.kept) }], scales: { x: { time: false } },
      legend: { live: false, show: series.length > 2 }, cursor: { show: false } }, data, place);
  }

  addEventListener("resize", () => {
    if (plot) plot.setSize({ width: document.getElementById("curve").clientWidth, height: HEIGHT });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (plot) { plot.destroy(); plot = null; curve(); }
  });
  document.body.addEventListener("read", curve);

  // Orders without a new page: what the crawl answers comes back as an event.
  for (const form of document.querySelectorAll("form[data-order]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "Accept": "application/json" } });
      const fault = document.getElementById("order-fault");
      fault.hidden = answer.ok;
      if (answer.ok) figures(await answer.json()); else fault.textContent = await answer.text();
    });
  }

  if ("live" in job.dataset) {
    const events = new EventSource(`${address}/events`);
    events.addEventListener("figures", (event) => figures(JSON.parse(event.data)));
    events.addEventListener("panel", (event) => panel(JSON.parse(event.data)));
    events.addEventListener("curve", curve);
    addEventListener("pagehide", () => events.close());
  }
  curve();
})();
