// One request of a warp: the sectors of global memory that it moves, or the banks of shared memory that it asks.
const SECTOR = 32, LINE = 128, WORD = 4, BANKS = 32;

function addressOf(m, e) {
  let at = m.address;
  for (let axis = m.shape.length - 1; axis >= 0; axis--) {
    at += (e % m.shape[axis]) * m.strides[axis];
    e = Math.floor(e / m.shape[axis]);
  }
  return at;
}

// Draw the chosen request anew.
function ask() {
  const f = own.f, site = Number(liner.value), turns = mine().filter((s) => s.site === site);
  const warps = Math.ceil(own.count / 32);
  turn.end = Math.max(2, turns.length); turn.visible = turns.length > 1;
  warper.end = Math.max(1, warps - 1); warper.visible = warps > 1;
  const step = turns[Math.min(turn.value, turns.length) - 1], warp = Math.min(warper.value, warps - 1);
  const lanes = [];
  if (step) each(step, (t, e) => { if (t >> 5 === warp) lanes.push([t & 31, e]); });
  const m = step && f.memories[step.array], s = f.sites[site];
  sectors.plot.visible = Boolean(m) && m.space !== "shared";
  banks.plot.visible = Boolean(m) && m.space === "shared";
  const where = `warp ${warp} of block ${short(f.blocks[own.block].place, f.griddim)}`;
  if (!lanes.length) {
    request.text = `No lane of ${where} comes to this line${turns.length > 1 ? " this time" : ""}.`;
    sectors.plot.visible = banks.plot.visible = false;
    return;
  }
  const nbytes = s.nbytes || m.itemsize;
  const asked = lanes.map(([lane, e]) => [lane, addressOf(m, e) + s.offset, e]);
  const head = `${where[0].toUpperCase()}${where.slice(1)} ${["reads", "writes", "updates"][s.kind]} ${escaped(m.name)} in line ${s.line}: `;
  const active = lanes.length < 32 ? `${lanes.length} active lane${lanes.length > 1 ? "s" : ""}` : "32 lanes";
  if (m.space === "shared") inBanks(m, asked, nbytes, head, active);
  else inSectors(m, asked, nbytes, head, active, s.kind);
}

// The lanes that ask for the same bytes, as a label.
function names(lanes) {
  return lanes.length === 1 ? String(lanes[0]) : `${lanes.length}×`;
}

function inSectors(m, asked, nbytes, head, active, kind) {
  const moved = new Set(), pieces = new Map();
  for (const [lane, at] of asked) {
    for (let s = Math.floor(at / SECTOR); s <= Math.floor((at + nbytes - 1) / SECTOR); s++) moved.add(s);
    if (!pieces.has(at)) pieces.set(at, []);
    pieces.get(at).push(lane);
  }
  const found = [...new Set([...moved].map((s) => Math.floor(s * SECTOR / LINE)))].sort((a, b) => a - b);
  const row = new Map();
  let y = 0, before = null;
  for (const line of found) {
    if (before !== null && line !== before + 1) y += 0.35;  // memory between is left out
    row.set(line, y++);
    before = line;
  }
  const data = {x: [], y: [], wide: [], colour: [], pattern: []}, text = {x: [], y: [], text: []}, edges = {x: [], y: [], wide: []};
  const put = (at, end, colour, pattern) => {  // bytes of one line
    const line = Math.floor(at / LINE);
    if (!row.has(line)) return;
    data.x.push((at + end) / 2 - line * LINE); data.y.push(row.get(line)); data.wide.push(end - at);
    data.colour.push(colour); data.pattern.push(pattern);
  };
  for (const s of moved) {
    put(s * SECTOR, (s + 1) * SECTOR, colours.none, "right_diagonal_line");
    edges.x.push((s * SECTOR) % LINE + SECTOR / 2); edges.y.push(row.get(Math.floor(s * SECTOR / LINE))); edges.wide.push(SECTOR);
  }
  let useful = 0;
  const pixel = (sectors.plot.inner_width || 560) / LINE;
  for (const [at, lanes] of pieces) {
    useful += nbytes;
    for (let from = at; from < at + nbytes;) {  // an access may lie across lines
      const end = Math.min(at + nbytes, (Math.floor(from / LINE) + 1) * LINE);
      put(from, end, kind ? colours.written : colours.read, " ");
      if (pixel * (end - from) > 14) {
        text.x.push((from + end) / 2 % LINE || LINE); text.y.push(row.get(Math.floor(from / LINE))); text.text.push(names(lanes));
      }
      from = end;
    }
  }
  sectors.cells.data = data; sectors.text.data = text; sectors.edges.data = edges;
  const height = y * 21 + 62;
  if (sectors.plot.height !== height) sectors.plot.height = height;
  sectors.plot.y_range.setv({start: y - 0.5, end: -0.5});
  const first = new Map();
  for (const [, at, e] of asked) {
    const line = Math.floor(at / LINE);
    if (!first.has(line) || first.get(line)[0] > at) first.set(line, [at, e]);
  }
  const axis = sectors.axis, ticks = [], labels = new Map();
  for (const [line, [, e]] of first) if (row.has(line)) { ticks.push(row.get(line)); labels.set(row.get(line), indexOf(m, e)); }
  axis.ticker.ticks = ticks;
  axis.major_label_overrides = labels;
  const least = Math.ceil(useful / SECTOR);
  request.text = `${head}${active} ask for ${useful} bytes, and ${moved.size} sector${moved.size > 1 ? "s" : ""} of 32 bytes `
    + `move${moved.size > 1 ? "" : "s"}: ${moved.size * SECTOR} bytes, ${Math.round(100 * useful / (moved.size * SECTOR))} % of them useful`
    + (moved.size > least ? ` (${least} sector${least > 1 ? "s" : ""} would do). Hatched: moved for nothing.` : ". Nothing is wasted.");
}

function inBanks(m, asked, nbytes, head, active) {
  // Accesses of 8 bytes are served half a warp at a time, of 16 a quarter: the part that needs most cycles is drawn.
  const size = Math.max(1, Math.min(32, Math.floor(32 * WORD / nbytes))), parts = [];
  for (const [lane, at] of asked) {
    const part = Math.floor(lane / size);
    parts[part] = parts[part] || new Map();
    for (let word = Math.floor(at / WORD); word <= Math.floor((at + nbytes - 1) / WORD); word++) {
      if (!parts[part].has(word)) parts[part].set(word, []);
      parts[part].get(word).push(lane);
    }
  }
  const ways = (words) => {
    const count = new Array(BANKS).fill(0);
    for (const word of words.keys()) count[word % BANKS]++;
    return count;
  };
  const worst = parts.filter(Boolean).sort((a, b) => Math.max(...ways(b)) - Math.max(...ways(a)))[0];
  const count = ways(worst), most = Math.max(...count);
  const found = [...new Set([...worst.keys()].map((word) => Math.floor(word / BANKS)))].sort((a, b) => a - b);
  const row = new Map(found.map((r, k) => [r, k]));
  const data = {x: [], y: [], colour: [], edge: []}, text = {x: [], y: [], text: []};
  const pixel = (banks.plot.inner_width || 560) / BANKS;
  for (const r of found) for (let bank = 0; bank < BANKS; bank++) {
    const lanes = worst.get(r * BANKS + bank);
    data.x.push(bank); data.y.push(row.get(r));
    data.colour.push(!lanes ? colours.none : count[bank] > 1 ? colours.wrong : colours.read);
    data.edge.push(lanes && count[bank] > 1 ? 2 : 1);
    if (lanes && pixel > 14) { text.x.push(bank); text.y.push(row.get(r)); text.text.push(names(lanes)); }
  }
  banks.cells.data = data; banks.text.data = text;
  const height = found.length * 21 + 62;
  if (banks.plot.height !== height) banks.plot.height = height;
  banks.plot.y_range.setv({start: found.length - 0.5, end: -0.5});
  const labels = new Map(found.map((r, k) => [k, `words ${r * BANKS}…`]));
  banks.axis.ticker.ticks = found.map((_, k) => k);
  banks.axis.major_label_overrides = labels;
  const cycles = parts.filter(Boolean).reduce((sum, words) => sum + Math.max(...ways(words)), 0);
  const best = parts.filter(Boolean).length;
  request.text = `${head}${active} want ${worst.size} word${worst.size > 1 ? "s" : ""} of ${count.filter((n) => n).length} of the 32 banks`
    + (best > 1 ? ` at a time (${nbytes} bytes each are served in ${best} parts; one is drawn)` : "")
    + (most > 1 ? `: a ${most}-way conflict, ${cycles} cycles instead of ${best}.` : ": no conflict.");
}

