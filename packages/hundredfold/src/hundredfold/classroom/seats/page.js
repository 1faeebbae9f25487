// The page on seats: asks who uses what, and says so. Everything that comes from learners is put in as text.
"use strict";
(() => {
  const EVERY = 5000; // ms
  const size = (bytes) => (bytes == null ? "–" : bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`);
  const span = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);
  const part = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text != null) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  // A text that stays is not announced again.
  function say(id, text) {
    const place = document.getElementById(id);
    if (place.textContent !== text) place.textContent = text;
  }

  // The new rows take the place of the old; the button that had the focus has it again, or the table, if its row is gone.
  function show(rows) {
    const body = document.getElementById("seats");
    const held = body.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    body.replaceChildren(...rows);
    if (held) ([...body.querySelectorAll("button")].find((each) => each.getAttribute("aria-label") === held) || body.parentElement).focus();
  }

  function row(seat) {
    const line = part("tr");
    const name = part("th", seat.owner);
    name.scope = "row";
    line.append(name, part("td", seat.place), part("td", new Date(seat.since).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })));
    const memory = part("td", seat.limit ? `${size(seat.memory)} of ${size(seat.limit)}` : size(seat.memory), "n");
    if (seat.limit && seat.memory != null) {
      const share = Math.min(1, seat.memory / seat.limit);
      const bar = part("span", null, share > 0.9 ? "bar full" : "bar");
      const fill = part("i");
      fill.style.width = `${100 * share}%`;
      bar.append(fill);
      memory.append(bar);
    }
    line.append(memory, part("td", size(seat.device), "n"), part("td", seat.processes, "n"));
    const kernels = part("td");
    if (seat.silent) kernels.append(part("span", seat.silent, "wrong"));
    else if (!seat.kernels.length) kernels.append(part("span", "none", "soft"));
    for (const kernel of seat.kernels) {
      const said = kernel.state === "idle" ? `idle for ${span(kernel.idle)}` : kernel.state;
      const one = part("div", `${kernel.path} `);
      one.append(part("span", said, "soft"));
      kernels.append(one);
    }
    const button = part("button", "Stop");
    button.setAttribute("aria-label", `Stop the server of ${seat.owner}`);
    button.addEventListener("click", () => stop(seat.owner));
    const last = part("td");
    last.append(button);
    line.append(kernels, last);
    const names = document.querySelectorAll("thead tr > *"); // on a phone each cell says what it is
    [...line.cells].forEach((cell, i) => (cell.dataset.name = names[i].textContent));
    return line;
  }

  // JupyterHub wants the token of every request that a script sends, also of those that only ask.
  function token() {
    const cookie = document.cookie.split("; ").find((each) => each.startsWith("_xsrf="));
    return { "X-XSRFToken": cookie ? cookie.slice(6) : "" };
  }

  function send(path, body) {
    return fetch(path, { method: "POST", body: new URLSearchParams(body), headers: token() });
  }

  async function stop(owner) {
    if (!window.confirm(`Stop the server of ${owner}? What is saved stays. Variables of running kernels are lost.`)) return;
    const answer = await send("api/stop", { owner });
    say("told", answer.ok ? `The server of ${owner} stops.` : `That was not done: ${answer.status} ${answer.statusText}.`);
    renew();
  }

  async function renew() {
    try {
      const answer = await fetch("api/status", { headers: { Accept: "application/json", ...token() } });
      if (answer.redirected || answer.status === 403) return window.location.reload(); // the login has run out
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      const { seats, last } = await answer.json();
      show(seats.map(row));
      const kernels = seats.reduce((sum, seat) => sum + seat.kernels.length, 0);
      const memory = seats.reduce((sum, seat) => sum + (seat.memory || 0), 0);
      const taken = `${seats.length} ${seats.length === 1 ? "seat is" : "seats are"} taken, with ${kernels} ${kernels === 1 ? "kernel" : "kernels"} and ${size(memory)} of main memory.`;
      say("summary", seats.length ? taken : "No seat is taken.");
      if (last.length) say("told", `Last time: ${last.join("; ")}.`);
    } catch (error) {
      say("summary", `The hub does not say who sits where (${error.message}); asking again.`);
    }
  }

  async function follow() {
    await renew();
    setTimeout(follow, EVERY);
  }

  document.getElementById("reclaim").addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const answer = await send("api/reclaim", { idle: 60 * form.get("idle"), grace: 60 * form.get("grace") });
    if (!answer.ok) return say("told", `That was not done: ${answer.status} ${answer.statusText}.`);
    const { warned, unreachable } = await answer.json();
    const left = unreachable.length ? ` Could not be warned, and is left alone: ${unreachable.join(", ")}.` : "";
    say("told", (warned.length ? `Warned ${warned.join("; ")}.` : "No kernel has been idle for so long.") + left);
  });

  follow();
})();
