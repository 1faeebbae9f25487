// The home page's two things to try. Without this script their texts show the first setting.
"use strict";
(() => {
  const SECTOR = 32, ITEM = 4, LANES = 32; // bytes, bytes, threads of a warp

  const sectors = document.getElementById("hf-sectors");
  const slider = sectors.querySelector("input");
  const drawing = sectors.querySelector("svg");
  const part = (x, width, kind) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x, y: 6, width, height: 44, class: kind })) made.setAttribute(name, value);
    drawing.append(made);
  };
  function read() {
    const step = Number(slider.value);
    const touched = new Set();
    for (let lane = 0; lane < LANES; lane++) touched.add(Math.floor((lane * step * ITEM) / SECTOR));
    const moved = touched.size * SECTOR, asked = LANES * ITEM;
    sectors.querySelector("b").textContent = slider.value;
    sectors.querySelector("[role=status]").textContent =
      `32 threads ask for ${asked} bytes. ${touched.size} sectors move: ${moved} bytes. ` +
      (moved === asked ? "All of them are used." : `${Math.round((100 * asked) / moved)} % of them are used.`);
    drawing.replaceChildren();
    const scale = 660 / ((LANES * ITEM * step) / SECTOR); // drawn units for each sector of the range
    const wide = Math.min(scale, 82.5);
    for (const sector of touched) part(sector * wide, wide - 1.5, "sector");
    for (let lane = 0; lane < LANES; lane++) part(((lane * step * ITEM) / SECTOR) * wide, Math.max(1.5, (ITEM / SECTOR) * wide - 1), "asked");
  }
  slider.addEventListener("input", read);
  read();

  const form = document.getElementById("hf-possible");
  const digits = (value) => String(Number(value.toPrecision(3)));
  function judge() {
    const bytes = 1e6 * Number(form.megabytes.value), seconds = Number(form.milliseconds.value) / 1e3;
    const said = form.querySelector("[role=status]");
    if (!(bytes > 0 && seconds > 0)) { said.textContent = "Both numbers have to be larger than 0."; return; }
    const rate = Number(form.gpu.value), least = bytes / rate, name = form.gpu.selectedOptions[0].dataset.name;
    const verdict = seconds < least ? "that is impossible" : `that is ${digits((100 * least) / seconds)} % of the limit`;
    said.textContent = `A ${name} moves ${digits(rate / 1e9)} GB/s. ${digits(bytes / 1e6)} MB take it ${digits(1e3 * least)} ms at least. In ${digits(1e3 * seconds)} ms ${verdict}.`;
  }
  form.addEventListener("input", judge);
  form.addEventListener("submit", (event) => event.preventDefault());
  judge();
})();
