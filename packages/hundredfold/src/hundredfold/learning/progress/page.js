// The class: asks for counts and shows them. Everything that comes from learners is put in as text.
"use strict";
(() => {
  const EVERY = 3000; // ms
  const REASONS = 3; // shown of each problem
  const part = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text != null) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const head = (text) => {
    const made = part("th", text);
    made.scope = "row";
    return made;
  };
  const at = (id) => document.getElementById(id);
  const learners = (n) => `${n} ${n === 1 ? "learner" : "learners"}`;

  // The row of a table, whose cells know their column's name: on a phone each says what it is.
  function row(table, ...cells) {
    const line = part("tr");
    line.append(...cells);
    const names = at(table).parentElement.querySelectorAll("thead th");
    [...line.cells].forEach((cell, i) => (cell.dataset.name = names[i].textContent));
    return line;
  }

  function bar(share) {
    const made = part("span", null, "bar");
    const fill = part("i");
    fill.style.width = `${100 * share}%`;
    made.append(fill);
    return made;
  }

  function problem(told, count) {
    const name = head(told.problem);
    name.append(part("div", told.title, "soft"));
    const solved = part("td", `${told.solved} of ${count}`, "n");
    solved.append(bar(told.solved / count));
    const reasons = part("td");
    for (const each of told.reasons.slice(0, REASONS)) reasons.append(part("div", `${each.learners} × ${each.means}`));
    const more = told.reasons.length - REASONS;
    if (more > 0) reasons.append(part("div", `and ${more} more`, "soft"));
    const minutes = part("td", told.minutes == null ? "–" : Math.round(told.minutes), "n");
    return row("problems", name, solved, part("td", told.trying, "n"), minutes, reasons);
  }

  function prediction(row) {
    const made = part("figure");
    const title = part("figcaption");
    title.append(part("b", `${row.unit}: ${row.name}`), part("div", row.question));
    made.append(title);
    const most = Math.max(1, ...row.bars.map((each) => each.count));
    const table = part("table", null, "bars");
    for (const each of row.bars) {
      const line = part("tr");
      const drawn = part("td");
      drawn.append(bar(each.count / most));
      const label = head(each.label);
      label.className = "n";
      line.append(label, drawn, part("td", each.count, "n"));
      table.append(line);
    }
    if (row.bars.length) made.append(table);
    const said = `${learners(row.answers)} predicted`;
    made.append(part("div", row.left ? `${said}; ${row.left} left it at ${row.given}.` : `${said}.`, "soft"));
    return made;
  }

  let shown = "";
  // JupyterHub wants the token of every request that a script sends.
  function token() {
    const cookie = document.cookie.split("; ").find((each) => each.startsWith("_xsrf="));
    return cookie ? cookie.slice(6) : "";
  }

  async function renew() {
    try {
      const answer = await fetch("api/summary", { headers: { Accept: "application/json", "X-XSRFToken": token() } });
      if (answer.redirected || answer.status === 403) return window.location.reload(); // the login has run out
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      const text = await answer.text();
      if (text === shown) return;
      const told = JSON.parse(text);
      at("problems").replaceChildren(...told.problems.map((each) => problem(each, told.count)));
      told.predictions.sort((a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : 0)); // what is asked now stands first
      at("predictions").replaceChildren(...told.predictions.map(prediction));
      at("unasked").hidden = told.predictions.length > 0;
      at("named").hidden = told.learners == null;
      at("learners").replaceChildren(
        ...(told.learners ?? []).map((each) =>
          row("learners", head(each.name), part("td", each.solved, "n"), part("td", each.begun, "n"), part("td", each.last.slice(0, 16).replace("T", " ")))
        )
      );
      at("summary").textContent = told.count ? `${learners(told.count)} ${told.count === 1 ? "shares" : "share"} with this class.` : "Nobody has shared anything yet.";
      shown = text;
    } catch (error) {
      shown = "";
      at("summary").textContent = `The hub does not say how far the class is (${error.message}); asking again.`;
    }
  }

  renew();
  setInterval(renew, EVERY);
})();
