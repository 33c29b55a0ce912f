/* The page's own script: draws the figures, moves the explorer's markers, and switches light, dark and paper.
   It computes no number: every text and place was written by mated. */
(() => {
  "use strict";

  const root = document.documentElement;
  const page = JSON.parse(document.getElementById("page-data").textContent);
  const plots = [...document.querySelectorAll(".plot[data-figure]")];
  const drawn = new Set();
  const places = page.systems.map((system) => system.start);
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const PAPER_WIDTHS = { 1: 660, 2: 314 };
  let onPaper = false;

  /* -- colours ------------------------------------------------------------------------------ */

  const colour = (name) => {
    if (name === "~none") return "rgba(0,0,0,0)";
    const [token, share] = name.slice(1).split("/");
    const hex = getComputedStyle(root).getPropertyValue(`--${token}`).trim();
    if (!share) return hex;
    const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(full.slice(at, at + 2), 16));
    return `rgba(${r},${g},${b},${Number(share) / 100})`;
  };

  // Only properties that are colours are looked at: a label that begins with ~ stays as it is.
  const coloured = (value, key = "") => {
    if (Array.isArray(value)) return /color$/i.test(key) ? value.map((v) => coloured(v, key)) : value.map((v) => (v && typeof v === "object" ? coloured(v) : v));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, k === "meta" ? v : coloured(v, k)]));
    }
    return typeof value === "string" && /color$/i.test(key) && value.startsWith("~") ? colour(value) : value;
  };

  /* -- figures ------------------------------------------------------------------------------ */

  const follow = (trace) => {
    const meta = trace.meta;
    if (!meta || meta.follows === undefined) return;
    const stop = page.systems[meta.follows].stops[places[meta.follows]];
    if (meta.figure === "rates") {
      trace.x = [stop.x];
      trace.y = [stop.rates[meta.rate]];
    } else {
      [trace.x, trace.y] = [[stop[meta.figure][0]], [stop[meta.figure][1]]];
    }
  };

  const thresholdLine = (data) => {
    const meta = data.map((trace) => trace.meta).find((m) => m && m.figure === "rates");
    if (!meta) return null;
    const x = page.systems[meta.follows].stops[places[meta.follows]].x;
    return { type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line: { color: colour("~ink"), width: 1, dash: "dot" } };
  };

  // Keeps every second tick, third, ... until their labels fit side by side.
  const thinnedTicks = (axis, width) => {
    if (!axis.tickvals) return;
    const room = Math.max(...axis.ticktext.map((text) => text.length)) * 6.5 + 12;
    const every = Math.ceil((axis.tickvals.length * room) / width);
    const stays = (_, at) => at % every === 0;
    [axis.tickvals, axis.ticktext] = [axis.tickvals.filter(stays), axis.ticktext.filter(stays)];
  };

  const prepared = (plot) => {
    const spec = page.figures[plot.dataset.figure];
    const data = coloured(spec.data);
    const layout = coloured(spec.layout);
    data.forEach(follow);
    const line = thresholdLine(data);
    if (line) layout.shapes = [line];
    layout.font.family = getComputedStyle(document.body).fontFamily;
    layout.uirevision = "kept";
    layout.dragmode = touch ? false : "zoom";
    const count = Math.min(Number(plot.closest(".figures").dataset.count), 2);
    const width = onPaper ? PAPER_WIDTHS[count] : plot.clientWidth;
    if (onPaper) {
      layout.width = width;
      layout.autosize = false;
      layout.font.size = 9;
      layout.height = Math.round(layout.height * (count === 2 ? 0.72 : 0.85));
    } else {
      layout.autosize = true;
      layout.font.size = width < 420 ? 11 : 12;
    }
    thinnedTicks(layout.xaxis, width - 80);
    if (width < 460) {
      layout.xaxis.nticks = Math.min(layout.xaxis.nticks || 5, 5);
      layout.margin.l = 48;
    }
    return [data, layout];
  };

  const draw = (plot) => {
    drawn.add(plot);
    const [data, layout] = prepared(plot);
    Plotly.react(plot, data, layout, {
      responsive: true,
      displaylogo: false,
      displayModeBar: touch ? false : "hover",
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
      doubleClick: "reset",
    });
  };

  const redraw = () => drawn.forEach(draw);

  /* -- explorer ----------------------------------------------------------------------------- */

  const sliders = [...document.querySelectorAll("input[data-system]")];
  const live = document.getElementById("explorer-live");
  let waiting = 0;
  let frame = 0;

  const said = (system) => {
    const stop = page.systems[system].stops[places[system]];
    const special = stop.names.length ? ` (${stop.names.join(", ")})` : "";
    return `threshold ${stop.t}${special}: FMR ${stop.fmr}, FNMR ${stop.fnmr}`;
  };

  const moveMarkers = () => {
    frame = 0;
    for (const plot of drawn) {
      const traces = plot.data.map((trace, at) => ({ trace, at })).filter(({ trace }) => trace.meta && trace.meta.follows !== undefined);
      if (!traces.length) continue;
      traces.forEach(({ trace }) => follow(trace));
      const update = { x: traces.map(({ trace }) => trace.x), y: traces.map(({ trace }) => trace.y) };
      const line = thresholdLine(plot.data);
      Plotly.update(plot, update, line ? { shapes: [line] } : {}, traces.map(({ at }) => at));
    }
  };

  const show = (system) => {
    const stop = page.systems[system].stops[places[system]];
    const slider = sliders[system];
    slider.value = String(places[system]);
    slider.setAttribute("aria-valuetext", said(system));
    document.getElementById(`threshold-${system}`).textContent = stop.t;
    document.querySelectorAll(`#explorer [data-system="${system}"]:not(input) [data-show]:not([data-show="caution"])`).forEach((cell) => {
      cell.textContent = stop[cell.dataset.show];
    });
    const caution = document.querySelector(`#explorer-cautions [data-system="${system}"]`);
    caution.hidden = !stop.caution;
    caution.querySelector("[data-show]").textContent = stop.caution || "";
    document.getElementById("typed").textContent = stop.typed;
    const whose = document.getElementById("typed-for");
    if (whose) whose.textContent = page.systems[system].name;
    frame = frame || requestAnimationFrame(moveMarkers);
    // Told once the slider rests, so that a screen reader is not flooded.
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      live.textContent = `${page.systems[system].name}, ${said(system)}`;
    }, 400);
  };

  sliders.forEach((slider, system) => {
    slider.setAttribute("aria-valuetext", said(system));
    slider.addEventListener("input", () => {
      places[system] = Number(slider.value);
      show(system);
    });
  });

  document.querySelectorAll("[data-jump]").forEach((button) => {
    button.addEventListener("click", () => {
      page.systems.forEach((system, at) => {
        const place = system.named[button.dataset.jump];
        if (place === undefined) return;
        places[at] = place;
        show(at);
      });
    });
  });

  const panel = document.getElementById("explorer");
  if (panel && sliders.length <= 2) panel.classList.add("few");

  /* -- light, dark, paper ------------------------------------------------------------------- */

  const theme = document.getElementById("theme");
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem("mated-theme");
  } catch {
    /* a page opened from disk may have no storage */
  }

  const setTheme = () => {
    const dark = !onPaper && (chosen ? chosen === "dark" : prefersDark.matches);
    root.dataset.theme = dark ? "dark" : "light";
    theme.textContent = dark ? "Light" : "Dark";
    theme.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
    redraw();
  };

  theme.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("mated-theme", chosen);
    } catch {
      /* not kept, then */
    }
    setTheme();
  });
  prefersDark.addEventListener("change", setTheme);

  const setPaper = (paper) => {
    if (paper === onPaper) return;
    onPaper = paper;
    if (paper) plots.forEach((plot) => drawn.add(plot));
    setTheme();
    if (!paper) drawn.forEach((plot) => Plotly.Plots.resize(plot));
  };
  window.addEventListener("beforeprint", () => setPaper(true));
  window.addEventListener("afterprint", () => setPaper(false));
  window.matchMedia("print").addEventListener("change", (media) => setPaper(media.matches));
  document.getElementById("print").addEventListener("click", () => window.print());

  /* -- begin: figures are drawn when they come near ------------------------------------------ */

  setTheme();
  const near = new IntersectionObserver(
    (entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
        near.unobserve(entry.target);
        if (!drawn.has(entry.target)) draw(entry.target);
      });
    },
    { rootMargin: "600px 0px" },
  );
  plots.forEach((plot) => near.observe(plot));

  const links = [...document.querySelectorAll(".contents a")];
  const here = new IntersectionObserver(
    (entries) => {
      const seen = entries.find((entry) => entry.isIntersecting);
      if (!seen) return;
      links.forEach((link) => link.setAttribute("aria-current", String(link.hash === `#${seen.target.id}`)));
    },
    { rootMargin: "-30% 0px -65% 0px" },
  );
  document.querySelectorAll("main > section").forEach((section) => here.observe(section));
})();
