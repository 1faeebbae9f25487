// The results that the filter leaves, as a figure: times on a logarithmic axis, each kind with a mark of its own.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST = 28; // lines of one time each; more, and each workload has one line
  const KINDS = ["published", "recorded", "yours", "limit"];

  const element = (name, attributes, ...inside) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };
  const text = (x, y, said, anchor = "start", cls = "ink") =>
    element("text", { x, y, class: cls, "text-anchor": anchor, "dominant-baseline": "middle" }, said);

  function mark(kind, x, y, row) {
    const said = element("title", {}, row ? `${row.id}, ${row.way} (${row.machine}): ${row.time}` : kind);
    const cls = `mark-${kind}${row?.verdict === "impossible" ? " hollow" : ""}`;
    if (kind === "limit") return element("rect", { x: x - 2, y: y - 8, width: 4, height: 16, class: cls }, said);
    if (kind === "yours") return element("rect", { x: x - 5, y: y - 5, width: 10, height: 10, class: cls }, said);
    if (kind === "recorded") return element("polygon", { points: `${x},${y - 6} ${x + 6},${y + 5} ${x - 6},${y + 5}`, class: cls }, said);
    return element("circle", { cx: x, cy: y, r: 5, class: cls }, said);
  }

  // Decades up to ten seconds, then minutes and hours, as people count them (kernellens/plot/axes.py): [logarithm, name].
  const LONG = { "1 min": 60, "10 min": 600, "1 h": 3600, "10 h": 36000, "100 h": 360000 };
  const places = () => [
    ...Array.from({ length: 12 }, (_, at) => [at - 10, hundredfoldResults.seconds(10 ** (at - 10))]),
    ...Object.entries(LONG).map(([name, seconds]) => [Math.log10(seconds), name]),
  ];

  /** Those between two times, at most so many. */
  function ticks(low, high, most) {
    const found = places().filter(([place]) => place >= low && place <= high);
    return found.filter((_, at) => at % Math.ceil(found.length / most) === 0);
  }

  function draw(figure, rows) {
    const wide = Math.max(280, figure.clientWidth), narrow = wide < 640;
    const single = rows.length <= MOST;
    const lines = [];
    for (const row of rows) {
      const before = lines.at(-1);
      if (single) lines.push({ label: `${row.way} · ${row.machine}`, head: before?.rows[0].id === row.id ? "" : row.id, rows: [row] });
      else if (before?.rows[0].id === row.id) before.rows.push(row);
      else lines.push({ label: row.id, head: "", rows: [row] });
    }
    const picture = element("svg", { role: "img", width: wide });
    const places = rows.flatMap((row) => [row.seconds, ...(row.limit ? [row.limit] : [])]).map(Math.log10);
    let low = Math.min(...places) - 0.2, high = Math.max(...places) + 0.2;
    if (high - low < 1.4) [low, high] = [low - 0.5, high + 0.5];
    const room = single ? 66 : 12; // px for the time behind its mark
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `13px ${getComputedStyle(figure).fontFamily}`;
    const measure = (said) => pen.measureText(said).width;
    const most = narrow ? wide - 8 : wide * 0.45;
    const fitted = (said) => {
      let kept = said;
      while (measure(kept) > most) kept = `${kept.slice(0, -2)}…`;
      return kept;
    };
    for (const line of lines) line.label = fitted(line.label);
    const left = narrow ? 8 : 16 + Math.max(...lines.map((line) => measure(line.label)));
    const scale = (log) => left + 8 + ((log - low) / (high - low)) * (wide - left - room - 16);
    let y = 30;
    const drawn = [];
    for (const { label, head, rows: mine } of lines) {
      if (head) {
        drawn.push(text(narrow ? 2 : 0, (y += 4) + 4, head, "start", "ink head"));
        y += 22;
      }
      if (narrow) {
        drawn.push(text(2, y, label));
        y += 17;
      } else drawn.push(text(left - 8, y, label, "end"));
      const limits = new Set(mine.flatMap((row) => (row.limit && row.kind !== "limit" ? [row.limit] : [])));
      for (const each of limits) drawn.push(mark("limit", scale(Math.log10(each)), y));
      for (const row of mine) drawn.push(mark(row.kind, scale(Math.log10(row.seconds)), y, row));
      if (single) drawn.push(text(scale(Math.max(...[mine[0].seconds, mine[0].limit ?? 0].map(Math.log10))) + 11, y, mine[0].time));
      y += narrow ? 24 : 22;
    }
    for (const [place, name] of ticks(low, high, narrow ? 4 : 7)) {
      const x = scale(place);
      picture.append(element("line", { x1: x, x2: x, y1: 18, y2: y, class: "grid" }));
      for (const at of [9, y + 12]) picture.append(text(x, at, name, "middle"));
    }
    picture.append(...drawn);
    picture.setAttribute("viewBox", `0 0 ${wide} ${y + 24}`);
    picture.setAttribute("height", y + 24);
    const many = single ? `${rows.length} times` : `${rows.length} times of ${lines.length} workloads, a line each`;
    picture.setAttribute("aria-label", `${many} on a logarithmic axis; the table below says each of them.`);
    const there = KINDS.filter((kind) => rows.some((row) => row.kind === kind || (kind === "limit" && row.limit)));
    const key = document.createElement("figcaption");
    for (const kind of there) {
      const item = document.createElement("span");
      item.append(element("svg", { width: 18, height: 18, "aria-hidden": "true" }, mark(kind, 9, 9)), ` ${kind}`);
      key.append(item);
    }
    if (rows.some((row) => row.verdict === "impossible")) key.append("A hollow mark beats its limit: it cannot be.");
    figure.replaceChildren(picture, key);
  }

  globalThis.hundredfoldFigure = (figure, rows) => {
    if (rows.length) draw(figure, rows);
    else figure.replaceChildren("Nothing is left: the filter asks for too much.");
  };
})();
