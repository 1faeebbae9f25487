// The page of results: filters table and figure, and takes a learner's own file in. Without it the whole table stands there.
"use strict";
(() => {
  const { read, kept, keep, allowed, seconds, share, cards } = hundredfoldResults;
  const form = document.getElementById("results-filter");
  const body = document.querySelector("#results tbody");
  const figure = document.getElementById("results-figure");
  const own = document.getElementById("results-own");
  const files = own.querySelector("ul");
  const said = own.querySelector("[role=status]");
  let mine = kept();

  const dataOf = (line) => ({
    ...line.dataset, seconds: Number(line.dataset.seconds), limit: Number(line.dataset.limit) || null, time: line.cells[4].textContent,
  });
  const heads = [...document.querySelectorAll("#results thead th")].map((head) => head.textContent);
  const cell = (text, title) => {
    const made = document.createElement("td");
    if (title === undefined) made.textContent = text;
    else {
      const inner = document.createElement("span");
      Object.assign(inner, { textContent: text, title });
      made.append(inner);
    }
    return made;
  };

  /** A line of the table, after the others of its workload. */
  function add(row) {
    const line = document.createElement("tr");
    Object.assign(line.dataset, { ...row, limit: row.limit ?? "", added: "" });
    const reached = row.limit !== null && row.kind !== "limit";
    line.append(
      cell(row.id, row.what), cell(row.way), cell(row.machine), cell(row.kind), cell(seconds(row.seconds)),
      cell(row.limit === null ? "–" : seconds(row.limit)), cell(reached ? share(row.limit / row.seconds) : "–"), cell(row.verdict, row.remark),
    );
    [...line.cells].forEach((each, at) => (each.dataset.head = heads[at])); // as the others have it: a phone shows it (narrow.py)
    const same = [...body.rows].filter((each) => each.dataset.id === row.id).at(-1);
    if (same) same.after(line);
    else body.append(line);
  }

  function fill() {
    for (const line of body.querySelectorAll("[data-added]")) line.remove();
    for (const file of mine) file.rows.forEach(add);
    const card = form.elements.card.value;
    if (card) allowed(card).forEach(add);
    const option = [...form.elements.kind.options].find((each) => each.value === "yours");
    option.hidden = option.disabled = !mine.length;
    if (!mine.length && form.elements.kind.value === "yours") form.elements.kind.value = "";
    files.replaceChildren(
      ...mine.map((file) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        Object.assign(button, { type: "button", textContent: "Remove" });
        button.setAttribute("aria-label", `Remove ${file.name}`);
        button.addEventListener("click", () => remove(file));
        item.append(`${file.name}: ${file.title}, ${file.rows.length} ${file.rows.length === 1 ? "time" : "times"}. `, button);
        return item;
      }),
    );
    filter();
  }

  function filter() {
    const wanted = new FormData(form);
    const words = wanted.get("words").toLowerCase().split(/\s+/);
    const shown = [];
    for (const line of body.rows) {
      const text = `${line.textContent} ${line.querySelector("span").title}`.toLowerCase();
      line.hidden =
        (wanted.get("kind") && line.dataset.kind !== wanted.get("kind")) ||
        (wanted.get("device") && line.dataset.device !== wanted.get("device")) ||
        !words.every((word) => text.includes(word));
      if (!line.hidden) shown.push(dataOf(line));
    }
    form.querySelector("output").textContent = `${shown.length} of ${body.rows.length}`;
    hundredfoldFigure(figure, shown);
  }

  async function take(given) {
    const told = [];
    for (const file of given) {
      try {
        const taken = await read(file);
        mine = [...mine.filter((each) => each.name !== taken.name), taken];
        told.push(`${taken.name} is in the figure and the table.`, ...taken.said);
      } catch (reason) {
        if (typeof reason !== "string") console.error(reason);
        told.push(typeof reason === "string" ? reason : `${file.name} could not be read.`);
      }
    }
    if (!keep(mine)) told.push("This browser keeps nothing for this page: it will be gone when you leave.");
    fill();
    say(told);
  }

  function remove(file) {
    mine = mine.filter((each) => each !== file);
    keep(mine);
    fill();
    say([`${file.name} is removed.`]);
    own.querySelector("input").focus(); // the button that had the focus is gone
  }

  const say = (sentences) => {
    said.replaceChildren(
      ...sentences.map((sentence) => Object.assign(document.createElement("p"), { textContent: sentence })),
    );
  };

  form.elements.card.append(...cards.map((name) => new Option(name)));
  form.elements.card.value = cards.includes("H200") ? "H200" : "";
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements[name];
    if (field && (field.type === "search" || [...(field.options ?? [])].some((each) => each.value === value))) field.value = value;
  }
  form.addEventListener("input", (event) => (event.target.name === "card" ? fill() : filter()));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(fill));
  own.querySelector("input").addEventListener("change", (event) => {
    take([...event.target.files]).then(() => (event.target.value = "")); // so that the same file can be chosen again
  });
  // Anywhere on the page, so that a file which misses the frame is not opened in place of the page.
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    own.classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") take([...event.dataTransfer.files]);
  };
  for (const type of ["dragover", "drop"]) document.addEventListener(type, over);
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && own.classList.remove("over"));
  let width = figure.clientWidth;
  new ResizeObserver(() => {
    if (figure.clientWidth !== width) {
      width = figure.clientWidth;
      filter();
    }
  }).observe(figure);
  for (const each of [form, own, figure]) each.hidden = false;
  width = figure.clientWidth;
  fill();
})();
