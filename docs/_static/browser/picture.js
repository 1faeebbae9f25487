// The lens's picture of a launch, drawn from what hundredfold.publish.browser.drawing made of it: threads and elements as squares.
"use strict";
const hundredfoldPicture = (() => {
  const READ = 1, WRITTEN = 2, UPDATED = 4, HALO = 8, EARLIER = 16; // as in kernellens.pictures.blocks
  const DOES = ["reads", "writes", "updates"];
  const SKY = "#56B4E9", ORANGE = "#E69F00", PURPLE = "#CC79A7", GREEN = "#009E73", WRONG = "#D55E00";
  const LEFT = 34, TOP = 16, MOST = 24, TALL = 420;

  const make = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const look = (bits) => {
    if (bits & UPDATED || (bits & READ && bits & WRITTEN)) return [PURPLE, "+"];
    if (bits & WRITTEN) return [ORANGE, bits & HALO ? "•" : "–"];
    if (bits & HALO) return [GREEN, "•"];
    return bits & READ ? [SKY, ""] : [`${ORANGE}66`, ""];
  };

  /** Row and column of the cell of an item, null outside of what is shown. */
  function cellOf({ grid, window }, item) {
    const [, rows, columns] = grid;
    return cellAt(window, [Math.floor(item / (rows * columns)), Math.floor(item / columns) % rows, item % columns]);
  }
  function cellAt([s0, s1, r0, r1, c0, c1, down, right, across], [slice, row, column]) {
    if (slice < s0 || slice >= s1 || row < r0 || row >= r1 || column < c0 || column >= c1) return null;
    const k = slice - s0, high = Math.ceil((r1 - r0) / down), wide = Math.ceil((c1 - c0) / right);
    return [
      Math.floor((row - r0) / down) + Math.floor(k / across) * (high + 1),
      Math.floor((column - c0) / right) + (k % across) * (wide + 1),
    ];
  }
  function unravel(item, shape) {
    const index = [];
    for (const n of [...shape].reverse()) { index.unshift(item % n); item = Math.floor(item / n); }
    return index;
  }
  const triple = (thread, dim) => {
    const place = [thread % dim[0], Math.floor(thread / dim[0]) % dim[1], Math.floor(thread / (dim[0] * dim[1]))];
    const last = dim[2] > 1 ? 3 : dim[1] > 1 ? 2 : 1;
    return `(${place.slice(0, last).join(", ")})`;
  };

  /** A canvas of squares: what is in them, and which of them is under the pointer. */
  class Panel {
    constructor(title, label, chosen) {
      this.canvas = make("canvas");
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", label);
      this.element = make("figure", { className: "hf-try-panel" }, make("figcaption", { textContent: title }), this.canvas);
      const hit = (event) => {
        const box = this.canvas.getBoundingClientRect();
        const column = Math.floor((event.clientX - box.left - LEFT) / this.cell), row = Math.floor((event.clientY - box.top - TOP) / this.cell);
        const items = this.items?.get(`${row},${column}`);
        if (items) chosen(items[0]);
      };
      this.canvas.addEventListener("pointerdown", hit);
      this.canvas.addEventListener("pointermove", (event) => event.pointerType === "mouse" && hit(event));
    }

    /** `bits` of items, places that are wrong, and items to outline: `[item, width]`. */
    draw(place, items, bits, wrong, outlined) {
      const [rows, columns] = place.extent, { canvas } = this, width = this.element.clientWidth;
      if (!width) return;
      const cell = this.cell = Math.max(3, Math.min(MOST, (width - LEFT - 4) / columns, TALL / rows));
      const ratio = devicePixelRatio || 1, size = [LEFT + cell * columns + 2, TOP + cell * rows + 2];
      Object.assign(canvas, { width: size[0] * ratio, height: size[1] * ratio });
      Object.assign(canvas.style, { width: `${size[0]}px`, height: `${size[1]}px` });
      const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(`--pst-color-${name}`).trim();
      const ink = colour("text-base"), faint = colour("border"), paper = colour("background");
      pen.scale(ratio, ratio);
      pen.translate(LEFT, TOP);
      const box = ([row, column], inset) => [column * cell + inset, row * cell + inset, cell - 2 * inset, cell - 2 * inset];
      // All places first, so that what nobody touches is seen to be there.
      const [s0, s1, r0, r1, c0, c1, down, right] = place.window, [slices, gridRows, gridColumns, count] = place.grid;
      pen.strokeStyle = faint;
      pen.lineWidth = cell < 5 ? 0.3 : 1;
      pen.beginPath();
      for (let s = Math.max(s0, 0); s < Math.min(s1, slices); s++)
        for (let r = Math.max(r0, 0); r < Math.min(r1, gridRows); r += down)
          for (let c = Math.max(c0, 0); c < Math.min(c1, gridColumns); c += right)
            if ((s * gridRows + r) * gridColumns + c < count) pen.rect(...box(cellAt(place.window, [s, r, c]), 0.5));
      pen.stroke();
      this.items = new Map();
      const seen = new Map();
      items.forEach((item, k) => {
        const at = cellOf(place, item);
        if (!at) return;
        const name = at.join();
        if (!this.items.has(name)) this.items.set(name, []);
        this.items.get(name).push(item);
        seen.set(name, [at, (seen.get(name)?.[1] ?? 0) | bits[k]]);
      });
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.font = `bold ${Math.min(13, cell * 0.7)}px sans-serif`;
      for (const [at, all] of seen.values()) {
        if (!all) continue;
        const [fill, sign] = look(all), [x, y, w, h] = box(at, cell < 5 ? 0 : 1);
        pen.fillStyle = fill;
        pen.fillRect(x, y, w, h);
        pen.fillStyle = "#000";
        if (sign && cell >= 9) pen.fillText(sign, x + w / 2, y + h / 2 + 0.5);
      }
      for (const [item, thick] of outlined) {
        const at = cellOf(place, item);
        if (!at) continue;
        // On a ground of its own: it has to be seen on every colour.
        for (const [stroke, lineWidth] of [[paper, thick + 2], [ink, thick]]) {
          Object.assign(pen, { strokeStyle: stroke, lineWidth });
          pen.strokeRect(...box(at, 1.5));
        }
      }
      for (const where of wrong) {
        const at = cellAt(place.window, where);
        if (!at) continue;
        const [x, y] = box(at, 0), middle = [x + cell / 2, y + cell / 2], arm = Math.max(4, cell * 0.35);
        for (const [stroke, lineWidth] of [[paper, 5], [WRONG, 2.5]]) {
          Object.assign(pen, { strokeStyle: stroke, lineWidth });
          pen.beginPath();
          pen.moveTo(middle[0] - arm, middle[1] - arm);
          pen.lineTo(middle[0] + arm, middle[1] + arm);
          pen.moveTo(middle[0] - arm, middle[1] + arm);
          pen.lineTo(middle[0] + arm, middle[1] - arm);
          pen.stroke();
        }
      }
      if (s1 - s0 === 1) this.#numbers(pen, place, cell, colour("text-muted"));
    }

    #numbers(pen, { grid, window, extent }, cell, colour) {
      const [, , r0, , c0, , down, right] = window, wrapped = grid[4], step = Math.max(1, Math.ceil(28 / cell));
      Object.assign(pen, { fillStyle: colour, font: "11px sans-serif", textAlign: "right" });
      for (let row = 0; row < extent[0]; row += Math.max(1, Math.ceil(14 / cell)))
        pen.fillText((r0 + row * down) * (wrapped ? grid[2] : 1), -4, (row + 0.5) * cell);
      pen.textAlign = "center";
      for (let column = 0; column < extent[1]; column += step) pen.fillText(c0 + column * right, (column + 0.5) * cell, -8);
    }
  }

  const percent = (share) => `${Math.round(share * 100)}%`;

  /** A sentence as nodes: what is between backticks is code. */
  const prose = (text) => text.split("`").map((part, k) => (k % 2 ? make("code", { textContent: part }) : part));

  /** What is wrong, in words. */
  const findings = (data) => data.findings.map(({ severity, kind, sentence, line }) => {
    const head = make("strong", { textContent: `${severity === "error" ? "✕" : "!"} ${severity}: ${kind}${line ? `, line ${line}` : ""}` });
    return make("div", { className: `hf-try-finding ${severity}` }, head, make("div", {}, ...prose(sentence)));
  });

  function traffic(data) {
    if (!data.traffic.length) return [];
    const names = ["line", "", "array", "sectors a request", "at best", "useful"];
    const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col", textContent: name })));
    const body = data.traffic.map((row) => make("tr", {}, ...[row.line, row.kind, row.arrays, row.each, row.best, percent(row.useful)]
      .map((text) => make("td", { textContent: text }))));
    const table = make("table", { className: "hf-results" }, make("thead", {}, head), make("tbody", {}, ...body));
    const scroll = make("div", { className: "hf-scroll", tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "What each line asks of memory");
    return [make("p", { textContent: `Global memory: ${percent(data.useful)} of the bytes that move were asked for.` }), scroll];
  }

  function drawing(data) {
    const { threads, arrays, blocks } = data.picture, dim = threads.dim;
    let block = blocks[0], frame = 0, chosen = null; // {thread} or {array, item}
    const said = make("div", { className: "hf-try-said" });
    said.setAttribute("aria-live", "polite");
    const number = make("input", { type: "number", min: 0, max: threads.count - 1, inputMode: "numeric" });
    const blockChoice = make("select", {}, ...blocks.map(({ name }, k) => new Option(name, k)));
    const frameChoice = make("select");
    const field = (text, input) => make("label", {}, `${text} `, input);
    const frameField = field("Between barriers", frameChoice);
    const shown = arrays.flatMap(({ space }, array) => (space === "local" ? [] : [array]));
    const arrayChoice = make("select", {}, ...shown.map((array) => new Option(arrays[array].name, array)));
    const element = make("input", { type: "number", min: 0, inputMode: "numeric", ariaLabel: "Number of the element" });
    const elementField = make("span", {}, field("Element of", arrayChoice), " ", element);
    elementField.hidden = !shown.length;
    const controls = make("p", { className: "hf-try-controls" }, field("Thread", number), elementField, frameField);
    if (blocks.length > 1) controls.prepend(field("Block", blockChoice));

    const own = new Panel(`Threads of block ${block.name}`, data.alt, (thread) => choose({ thread }));
    const panels = arrays.map(({ title, space }, array) => (space === "local" ? null
      : new Panel(title, `${title}: which elements are read and written`, (item) => choose({ array, item }))));
    const board = make("div", { className: "hf-try-board" }, own.element, ...panels.filter(Boolean).map((panel) => panel.element));

    /** Each access of the block in what is shown: what, by which thread, of which element. */
    function* accesses() {
      for (const step of block.steps) {
        if (frame && step.interval !== frame - 1) continue;
        const count = step.threads ? step.threads.length : threads.count;
        for (let k = 0; k < count; k++)
          yield [step, step.threads ? step.threads[k] : k, Array.isArray(step.elements) ? step.elements[k] : step.elements];
      }
    }
    const index = (array, item) => `${arrays[array].name}[${unravel(item, arrays[array].shape).join(", ")}]`;

    function choose(next) {
      chosen = next;
      number.value = next.thread ?? "";
      element.value = next.item ?? "";
      if (next.array !== undefined) arrayChoice.value = next.array;
      draw();
    }
    function draw() {
      const shown = block.frames[frame], outlined = arrays.map(() => new Map()), touching = new Map(), listed = new Map();
      for (const [step, thread, item] of accesses()) {
        if (chosen.thread === thread) {
          outlined[step.array].set(item, Math.max(outlined[step.array].get(item) ?? 0, step.kind ? 4 : 2));
          const what = `${step.line ? `line ${step.line} ` : ""}${DOES[step.kind]}`;
          if (!listed.has(what)) listed.set(what, new Set());
          listed.get(what).add(index(step.array, item));
        } else if (chosen.array === step.array && chosen.item === item) {
          touching.set(thread, Math.max(touching.get(thread) ?? 0, step.kind ? 4 : 2));
          if (!listed.has(DOES[step.kind])) listed.set(DOES[step.kind], new Set());
          listed.get(DOES[step.kind]).add(triple(thread, dim));
        }
      }
      const short = (all) => [...all].slice(0, 12).join(", ") + (all.size > 12 ? ` and ${all.size - 12} more` : "");
      const rows = [...listed].map(([what, all]) => make("div", {
        textContent: chosen.thread === undefined ? `thread${all.size > 1 ? "s" : ""} ${short(all)} ${what.replace(/s$/, all.size > 1 ? "" : "s")} it` : `${what} ${short(all)}`,
      }));
      const what = chosen.thread === undefined ? index(chosen.array, chosen.item) : `Thread ${triple(chosen.thread, dim)}`;
      if (chosen.array !== undefined) outlined[chosen.array].set(chosen.item, 3);
      else touching.set(chosen.thread, 3);
      const tried = block.wrong.filter(({ thread, outside }) => outside && thread === chosen.thread);
      rows.push(...tried.map(({ outside }) => make("div", { className: "wrong", textContent: `✕ wants ${outside}, which does not exist` })));
      said.replaceChildren(make("strong", { textContent: what }), ...(rows.length ? rows : [make("div", { textContent: "touches no memory here" })]));

      const wrongThreads = block.wrong.filter(({ thread }) => thread >= 0).map(({ thread }) => {
        const [, rowCount, columns] = threads.grid;
        return [Math.floor(thread / (rowCount * columns)), Math.floor(thread / columns) % rowCount, thread % columns];
      });
      own.element.firstChild.textContent = `Threads of block ${block.name}`;
      own.draw(threads, [...shown.threads.keys()], shown.threads, wrongThreads, touching);
      panels.forEach((panel, k) => {
        if (!panel) return;
        panel.element.hidden = !block.arrays[k];
        if (!block.arrays[k]) return;
        const [items, bits] = shown.elements[k];
        const wrong = block.wrong.filter(({ array, place }) => array === k && place).map(({ place }) => place);
        panel.draw(block.arrays[k], items, bits, wrong, outlined[k]);
      });
    }
    function enter(k) {
      block = blocks[k];
      frame = 0;
      const names = block.frames.slice(1).map((_, n, all) => `${n + 1} of ${all.length}`);
      frameChoice.replaceChildren(...["all", ...names].map((name, n) => new Option(name, n)));
      frameField.hidden = !names.length;
      const wrong = block.wrong.find(({ thread }) => thread >= 0)?.thread;
      const middle = Math.floor(dim[0] / 2) + dim[0] * (Math.floor(dim[1] / 2) + dim[1] * Math.floor(dim[2] / 2));
      choose({ thread: wrong ?? middle });
    }
    blockChoice.addEventListener("change", () => enter(Number(blockChoice.value)));
    frameChoice.addEventListener("change", () => { frame = Number(frameChoice.value); draw(); });
    number.addEventListener("input", () => {
      const thread = Number(number.value);
      if (number.value !== "" && Number.isInteger(thread) && thread >= 0 && thread < threads.count) choose({ thread });
    });
    const elementChosen = () => {
      const array = Number(arrayChoice.value), item = Number(element.value);
      const count = arrays[array].shape.reduce((all, n) => all * n, 1);
      if (element.value !== "" && Number.isInteger(item) && item >= 0 && item < count) choose({ array, item });
    };
    element.addEventListener("input", elementChosen);
    arrayChoice.addEventListener("change", elementChosen);
    new ResizeObserver(() => draw()).observe(board);
    new MutationObserver(() => draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    enter(0);
    const legend = make("p", { className: "hf-try-legend" }, ...[
      [SKY, "", "read"], [GREEN, "•", "read, not of the block’s own part"], [ORANGE, "–", "written"], [PURPLE, "+", "read and written, or atomic"],
    ].map(([fill, sign, name]) => {
      const key = make("span", { className: "key", textContent: sign });
      key.style.background = fill;
      return make("span", {}, key, ` ${name}`);
    }), make("span", {}, make("b", { textContent: "✕" }), " wrong"));
    return [controls, board, said, legend];
  }

  const picture = (data) => {
    const section = make("section", { className: "hf-try-picture" }, make("p", { className: "hf-try-title", textContent: data.title }));
    section.setAttribute("aria-label", data.title);
    section.append(...findings(data));
    if (!data.findings.length) section.append(make("p", { textContent: "Nothing wrong was found." }));
    if (data.picture) section.append(...drawing(data));
    const text = make("pre", { textContent: data.text, tabIndex: 0 });
    section.append(...traffic(data), make("details", {}, make("summary", { textContent: "The same in words" }), text));
    return section;
  };
  return Object.assign(picture, { prose });
})();
