// The roofline of the chosen GPU, type and block size: all rows were reckoned before, this only puts the chosen one in place.
const row = table[`${device.value}|${kind.value}|${block.value}`];
const [low, high] = ends, ridge = row.peak / row.bandwidth, inner = row.peak / row.l2;
const x = Math.min(Math.max(row.intensity, low * 1.05), high / 1.05);
sources.roof.data = {x: [low, ridge, high], y: [low * row.bandwidth, row.peak, row.peak]};
sources.l2.data = {x: [low, inner], y: [low * row.l2, row.peak]};
// A log that was full gives a bound, but no estimate.
const estimated = row.about !== "no estimate";
sources.drop.data = estimated ? {x: [x, x], y: [row.estimate, row.bound]} : {x: [], y: []};
sources.estimate.data = estimated ? {x: [x], y: [row.estimate]} : {x: [], y: []};
sources.bound.data = {x: [x], y: [row.bound]};
const right = x > 3, side = right ? "right" : "left", off = right ? 0.8 : 1.25;
// Both names stand beside their point; where the points are near each other, one above and one below.
const near = estimated && row.bound < 4 * row.estimate;
// The roof of memory begins below the picture on a slow GPU: its name goes where the line is seen.
const named = Math.max(low * 3, 4 * up.start / row.bandwidth);
const narrow = (cb_obj.inner_width || 600) < 420;
sources.labels.data = {
  x: [x * off, x * off, high, named, low * 1.15],
  y: [estimated ? row.estimate : row.bound, row.bound, row.peak * 1.15, named * row.bandwidth / 2.7, low * row.l2 * 2.2],
  text: [estimated ? row.about + (narrow ? "" : `: ${row.binds} binds`) : "", `${row.least}`, `arithmetic, ${kind.value}`, narrow ? "memory" : "memory bandwidth", "L2"],
  align: [side, side, "right", "left", "left"],
  base: [near ? "top" : "middle", near ? "bottom" : "middle", "bottom", "middle", "middle"],
};
const time = (s) => {
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]]) if (s >= size) return `${Number((s / size).toPrecision(2))} ${unit}`;
  return `${Number((s / 1e-12).toPrecision(2))} ps`;
};
const shown = Object.entries(row.parts).filter(([, s]) => s > bars.low);
bars.source.data = {
  name: shown.map(([name]) => name), seconds: shown.map(([, s]) => s), low: shown.map(() => bars.low),
  colour: shown.map(([name]) => name === row.binds ? colours.binds : colours.others),
  text: shown.map(([name, s]) => name === row.binds ? `${time(s)} — binds` : time(s)),
};
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
verdict.text = `<b>${row.binds} binds</b>: ${row.about}, ${row.least}${row.occupancy ? ", " + row.occupancy : ""}`
  + `${row.calibrated ? "" : " (not calibrated)"}. ${escaped(row.advice)}`;
