// What `lens.show`'s picture draws of a block. The models have the names that showing.py gives them; `own` keeps what is known.
// Bits of what is done to a thread or an element are those of blocks.py.
const READS = 1, WRITES = 2, UPDATES = 4, HALO = 8, EARLIER = 16, ROW = 9;

function begin() {
  const f = JSON.parse(facts), [bx, by, bz] = f.blockdim;
  const count = bx * by * bz;
  const steps = [];
  for (let at = 0; at < rows.length; at += ROW) {
    const [site, array, interval, mask, base, x, y, z, list] = rows.slice(at, at + ROW);
    steps.push({site, array, interval, mask, base, x, y, z, list});
  }
  Object.assign(own, {f, count, steps, block: 0, interval: -1, pinned: null, over: null, timer: null});
}

// Calls visit(thread, element) for each thread of a step.
function each(step, visit) {
  const f = own.f, [bx, by] = f.blockdim;
  let k = 0;
  for (let t = 0; t < own.count; t++) {
    if (step.mask >= 0 && !(pool[step.mask + (t >> 5)] >>> (t & 31) & 1)) continue;
    const e = step.list >= 0 ? pool[step.list + k]
      : step.base + step.x * (t % bx) + step.y * (Math.floor(t / bx) % by) + step.z * Math.floor(t / (bx * by));
    visit(t, e);
    k++;
  }
}

function mine() {
  const {first, end} = own.f.blocks[own.block];
  return own.steps.slice(first, end);
}

const spanOf = (m) => m.shape.length > 1 ? m.shape.slice(-2) : [1, m.size];

// Which arrays the block reads with a rim around its own part, and its own parts by shape.
function rims(steps) {
  const f = own.f, parts = {}, boxes = {};
  const box = (m, e, b) => {
    const [r, c] = spanOf(m);
    [Math.floor(e / (r * c)), Math.floor(e / c) % r, e % c].forEach((v, k) => {
      b[k][0] = Math.min(b[k][0], v); b[k][1] = Math.max(b[k][1], v);
    });
  };
  const fresh = () => [[Infinity, -Infinity], [Infinity, -Infinity], [Infinity, -Infinity]];
  const reads = f.memories.map(() => null);
  for (const s of steps) {
    const m = f.memories[s.array];
    if (m.space !== "global") continue;
    const shape = String(m.shape);
    if (f.sites[s.site].kind === 0) {
      const b = reads[s.array] = reads[s.array] || fresh();
      each(s, (t, e) => box(m, e, b));
    } else {
      parts[shape] = parts[shape] || new Set();
      boxes[shape] = boxes[shape] || fresh();
      each(s, (t, e) => { parts[shape].add(e); box(m, e, boxes[shape]); });
    }
  }
  const around = f.memories.map((m, k) => {
    const seen = reads[k], mine = boxes[String(m.shape)], part = parts[String(m.shape)];
    // What lies scattered has no rim.
    if (mine && mine.reduce((n, [low, high]) => n * (high - low + 1), 1) > 2 * part.size) return false;
    return Boolean(seen && mine) && mine.every(([low, high], axis) => {
      const rim = Math.max(1, Math.floor((high - low + 1) / 2));
      return seen[axis][0] >= low - rim && seen[axis][1] <= high + rim && seen[axis][0] <= high && seen[axis][1] >= low;
    });
  });
  return {parts, around};
}

// What the block does to its threads and to each element, in one interval or (-1) in all.
function look() {
  const f = own.f, steps = mine(), {parts, around} = rims(steps);
  const threads = new Uint8Array(own.count), elements = f.memories.map(() => new Map()), fetched = new Uint8Array(own.count);
  for (const s of steps) {
    const m = f.memories[s.array], kind = f.sites[s.site].kind, touched = elements[s.array], part = parts[String(m.shape)];
    const now = own.interval < 0 || s.interval === own.interval;
    const before = !now && s.interval < own.interval && kind && m.space === "shared";
    each(s, (t, e) => {
      let bits = [READS, WRITES, UPDATES][kind];
      if (m.space === "global" && !kind) fetched[t] = around[s.array] && !part.has(e) ? 1 : 0;
      if (fetched[t] && (m.space === "global" && !kind || m.space === "shared" && kind === 1)) bits |= HALO;
      if (now && m.space !== "local") threads[t] |= bits & 7;
      if (now || before) touched.set(e, touched.get(e) | (now ? bits : EARLIER));
    });
  }
  return {threads, elements};
}

// A look's colour, sign and strength.
function paint(bits, who) {
  if (who && bits & UPDATES) return [colours.both, "cross", 1];
  if (who && bits & WRITES) return [colours.written, "dash", 1];
  if (bits & UPDATES || (bits & 3) === 3) return [colours.both, "cross", 1];
  if (bits & WRITES) return [colours.written, bits & HALO ? "circle" : "dash", 1];
  if (bits & HALO) return [colours.halo, "circle", 1];
  if (bits & READS) return [colours.read, "", 1];
  if (bits & EARLIER) return [colours.written, "", 0.35];
  return [colours.none, "", 1];
}

// A window's numbers by name: what is shown, items of a cell, slices beside each other, and the slices' own sides.
function named(w) {
  const [z0, z1, y0, y1, x0, x1, down, right, across, r, c] = w;
  const high = Math.ceil((y1 - y0) / down), wide = Math.ceil((x1 - x0) / right);
  return {z0, z1, y0, y1, x0, x1, down, right, across, r, c, high, wide, sliced: z1 - z0 > 1};
}

// The place of an item in a window, [row, column]; null where it is not shown. Where a cell is one item, or several of a
// broken row, it is the item's own row and column, so that axes say them.
function place(e, w) {
  return stand(Math.floor(e / (w.r * w.c)), Math.floor(e / w.c) % w.r, e % w.c, w);
}
function stand(z, y, x, w) {
  if (z < w.z0 || z >= w.z1 || y < w.y0 || y >= w.y1 || x < w.x0 || x >= w.x1) return null;
  if (!w.sliced && w.down === 1) return [y, Math.floor(x / w.right)];
  const row = Math.floor((y - w.y0) / w.down), column = Math.floor((x - w.x0) / w.right);
  if (!w.sliced) return [row, column];
  return [Math.floor((z - w.z0) / w.across) * (w.high + 1) + row, (z - w.z0) % w.across * (w.wide + 1) + column];
}
// The first item at a place of the picture, or -1.
function under(row, column, size, w) {
  let z = w.z0, y = row, x = column * w.right;
  if (w.sliced) {
    z = w.z0 + Math.floor(row / (w.high + 1)) * w.across + Math.floor(column / (w.wide + 1));
    row %= w.high + 1; column %= w.wide + 1;
  }
  if (w.sliced || w.down > 1) { y = w.y0 + row * w.down; x = w.x0 + column * w.right; }
  const e = (z * w.r + y) * w.c + x;
  const there = z < w.z1 && y >= Math.max(w.y0, 0) && y < Math.min(w.y1, w.r) && x >= Math.max(w.x0, 0) && x < Math.min(w.x1, w.c);
  return there && e < size ? e : -1;
}

// Fill a panel's cells: bits(e) says what is done to an element.
function fill(panel, size, w, bits, who = false) {
  const cells = new Map();
  for (let z = w.z0; z < w.z1; z++) for (let y = Math.max(0, w.y0); y < Math.min(w.r, w.y1); y++) for (let x = Math.max(0, w.x0); x < Math.min(w.c, w.x1); x++) {
    const e = (z * w.r + y) * w.c + x;
    if (e >= size) continue;
    const [row, column] = stand(z, y, x, w), key = row * 4096 + column;
    cells.set(key, cells.get(key) | bits(e));
  }
  const data = {x: [], y: [], colour: [], strength: []}, signs = {x: [], y: [], sign: []};
  for (const [key, b] of cells) {
    const [colour, sign, strength] = paint(b, who), x = key % 4096, y = Math.floor(key / 4096);
    data.x.push(x); data.y.push(y); data.colour.push(colour); data.strength.push(strength);
    if (sign) { signs.x.push(x); signs.y.push(y); signs.sign.push(sign); }
  }
  panel.cells.data = data;
  panel.signs.data = signs;
}

function frame(panel, w) {
  let [y0, y1, x0, x1] = [w.y0, w.y1, w.x0, w.x0 + w.wide];
  if (w.sliced) {
    x0 = y0 = 0;
    x1 = w.across * (w.wide + 1) - 1; y1 = Math.ceil((w.z1 - w.z0) / w.across) * (w.high + 1) - 1;
  } else if (w.down > 1) { x0 = y0 = 0; x1 = w.wide; y1 = w.high; }
  // The frame keeps its size from block to block, and cells stay square.
  const {inner_width, inner_height} = panel.plot;
  if (!inner_width || !inner_height) return;
  const side = Math.max((x1 - x0) / inner_width, (y1 - y0) / inner_height);
  panel.plot.x_range.setv({start: x0 - 0.5, end: x0 - 0.5 + side * inner_width});
  panel.plot.y_range.setv({start: y0 - 0.5 + side * inner_height, end: y0 - 0.5});
}

function viewOf(panel) {
  const numbers = own.f.blocks[own.block].windows[panel.array];
  return numbers && named(numbers);
}

function draw() {
  const f = own.f, block = f.blocks[own.block], seen = look();
  const [size, ...numbers] = f.threads, w = named(numbers);
  own.seen = seen;
  fill(threads, size, w, (t) => seen.threads[t], true);
  frame(threads, w);
  panels.forEach((panel) => {
    const m = f.memories[panel.array], view = viewOf(panel);
    panel.plot.visible = Boolean(view);
    if (!view) return;
    frame(panel, view);
    fill(panel, m.size, view, (e) => seen.elements[panel.array].get(e) | 0);
  });
  mark(w, block);
  label(threads, w, f.blockdim[2] > 1 ? "threadIdx.z " : "");
  panels.forEach((panel) => viewOf(panel) && label(panel, viewOf(panel), ""));
  outline();
  say();
  ask();
}

// The number of each slice, where there are several.
function label(panel, w, before) {
  const data = {x: [], y: [], text: []};
  for (let z = w.z0; z < w.z1 && w.sliced; z++) {
    const [row, column] = stand(z, w.y0, w.x0, w);
    data.x.push(column - 0.4); data.y.push(row - 0.4); data.text.push(before + z);
  }
  panel.labels.data = data;
}

// Crosses where something is wrong, in this block.
function mark(w, block) {
  const f = own.f, [gx, gy] = f.griddim, linear = block.place[0] + gx * (block.place[1] + gy * block.place[2]);
  const here = f.errors.filter((e) => e.block === linear || e.block === -1);
  const put = (source, places) => { source.data = {x: places.map((p) => p[1]), y: places.map((p) => p[0])}; };
  put(threads.wrong, here.filter((e) => e.thread >= 0).map((e) => place(e.thread, w)).filter(Boolean));
  panels.forEach((panel) => {
    const view = viewOf(panel);
    const hit = here.filter((e) => view && e.array === panel.array && e.place);
    put(panel.wrong, hit.map((e) => e.inside ? place(e.element, view) : stand(...e.place, view)).filter(Boolean));
  });
}

// Outline what the thread under the pointer touches, or who touches the element under it.
function outline() {
  const f = own.f, target = own.over || own.pinned, w = named(f.threads.slice(1)), views = panels.map(viewOf);
  const reads = panels.map(() => new Map()), writes = panels.map(() => new Map()), who = new Map();
  const lines = [];
  const note = (map, at) => { if (at) map.set(at.join(), at); };
  for (const s of target ? mine() : []) {
    if (own.interval >= 0 && s.interval !== own.interval) continue;
    const k = panels.findIndex((panel) => panel.array === s.array), kind = f.sites[s.site].kind;
    each(s, (t, e) => {
      if (target.thread === undefined ? !(s.array === target.array && target.elements.has(e)) : t !== target.thread) return;
      note(who, place(t, w));
      if (k >= 0) note((kind ? writes : reads)[k], views[k] && place(e, views[k]));
      lines.push([s.site, t, e, s.array]);
    });
  }
  const put = (source, map) => {
    const places = [...map.values()];
    source.data = {x: places.map((p) => p[1]), y: places.map((p) => p[0])};
  };
  put(threads.written, who);
  panels.forEach((panel, k) => { put(panel.read, reads[k]); put(panel.written, writes[k]); });
  details.text = target ? told(target, lines) : "";
}

const escaped = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const triple = (dims) => `(${dims.join(", ")})`;

function indexOf(m, e) {
  const index = [];
  for (let axis = m.shape.length - 1; axis >= 0; axis--) { index.unshift(e % m.shape[axis]); e = Math.floor(e / m.shape[axis]); }
  return `${m.name}[${index.join(", ")}]`;
}

// A place without the coordinates that are always 0.
const short = (place, dims) => triple(dims[2] > 1 ? place : dims[1] > 1 ? place.slice(0, 2) : place.slice(0, 1));

function nameOf(t) {
  const [bx, by] = own.f.blockdim;
  return short([t % bx, Math.floor(t / bx) % by, Math.floor(t / (bx * by))], own.f.blockdim);
}

// What the outlined accesses are, in words.
function told(target, lines) {
  const f = own.f, one = target.thread !== undefined;
  const head = one
    ? `<b>Thread ${nameOf(target.thread)}</b>, lane ${target.thread % 32} of warp ${Math.floor(target.thread / 32)}`
    : `<b>${indexOf(f.memories[target.array], Math.min(...target.elements))}</b>` + (target.elements.size > 1 ? ` and ${target.elements.size - 1} more elements` : "");
  const bySite = new Map();
  for (const [site, t, e, array] of lines) {
    if (!bySite.has(site)) bySite.set(site, []);
    bySite.get(site).push(one ? indexOf(f.memories[array], e) : nameOf(t));
  }
  const rows = [...bySite].slice(0, 8).map(([site, items]) => {
    const s = f.sites[site], what = one ? ["reads", "writes", "updates"][s.kind] : ["read by thread", "written by thread", "updated by thread"][s.kind];
    const rest = items.length - 6, list = items.slice(0, 6).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
    return `line ${s.line}${s.function ? " of " + escaped(s.function) : ""} ${what} ${escaped(list)}`;
  });
  if (!rows.length) rows.push(one ? "touches no memory here" : "is touched by no thread here");
  return `${head} of block ${short(f.blocks[own.block].place, f.griddim)}: ${rows.join("; ")}.`;
}

// One line on what the block, or an interval of it, does.
function say() {
  const f = own.f, steps = mine(), last = Math.max(-1, ...steps.map((s) => s.interval)) + 1;
  const active = own.seen.threads.filter((b) => b).length;
  const lines = [...new Set(steps.filter((s) => own.interval < 0 || s.interval === own.interval).map((s) => f.sites[s.site].line))].sort((a, b) => a - b);
  const when = own.interval < 0 ? (last > 1 ? `All ${last} barrier intervals` : "The whole block")
    : own.interval >= last ? `Interval ${own.interval + 1}: the block has ended` : `Barrier interval ${own.interval + 1} of ${last}`;
  status.text = `${when}: ${active} of ${own.count} threads touch memory` + (lines.length ? `, in line${lines.length > 1 ? "s" : ""} ${lines.join(", ")}.` : ".");
}

// The pointer's thread or elements, in a plot.
function at(event) {
  const f = own.f, row = Math.round(event.y), column = Math.round(event.x);
  if (event.origin === threads.plot || event.origin.id === threads.plot.id) {
    const t = under(row, column, f.threads[0], named(f.threads.slice(1)));
    return t >= 0 ? {thread: t} : null;
  }
  const panel = panels.find((p) => p.plot.id === event.origin.id), view = panel && viewOf(panel);
  if (!view) return null;
  const e = under(row, column, f.memories[panel.array].size, view);
  if (e < 0) return null;
  const elements = new Set();
  for (let y = 0; y < view.down; y++) for (let x = 0; x < view.right; x++) elements.add(e + y * view.c + x);
  return {array: panel.array, elements};
}

function middle() {
  const f = own.f, [bx, by, bz] = f.blockdim, [gx, gy] = f.griddim, p = f.blocks[own.block].place;
  const linear = p[0] + gx * (p[1] + gy * p[2]), wrong = f.errors.find((e) => e.block === linear && e.thread >= 0);
  return {thread: wrong ? wrong.thread : (bx >> 1) + bx * ((by >> 1) + by * (bz >> 1))};
}

