// The page "In the browser": the editor, what a run gave, and what is kept of it. Python runs in worker.js, pictures are picture.js's.
"use strict";
(() => {
  const root = document.getElementById("try");
  const from = root.dataset.from;
  const find = (name) => root.querySelector(name);
  const form = find("form"), choice = find("select"), editor = find("textarea"), lines = find(".hf-try-lines > div");
  const run = find(".hf-try-run"), stop = find(".hf-try-stop"), original = find(".hf-try-original");
  const status = find(".hf-try-status"), error = find(".hf-try-error"), output = find(".hf-try-output"), printed = find(".hf-try-output pre");
  const account = find(".hf-try-account"), pictures = find(".hf-try-pictures");
  const MOST = 20_000; // characters that are shown of what a program prints
  let programs = [], worker = null, ready = false, running = false, length = 0;

  // What a learner writes is kept under the program's name; a browser that keeps nothing (private windows) still runs it.
  const key = (name) => `hundredfold-try:${name}`;
  const kept = (name) => { try { return localStorage.getItem(key(name)); } catch { return null; } };
  const keep = (name, text) => {
    try {
      if (text === null) localStorage.removeItem(key(name)); else localStorage.setItem(key(name), text);
    } catch { /* then it lasts as long as the page */ }
  };
  const current = () => programs.find((each) => each.name === choice.value);

  function number(wrong = []) {
    const count = editor.value.split("\n").length;
    lines.replaceChildren(...Array.from({ length: count }, (_, k) => {
      const line = document.createElement("div");
      line.textContent = wrong.includes(k + 1) ? `✕ ${k + 1}` : String(k + 1);
      line.classList.toggle("wrong", wrong.includes(k + 1));
      return line;
    }));
    editor.rows = Math.min(Math.max(count + 1, 8), 24);
    scrolled();
  }
  const scrolled = () => { lines.style.transform = `translateY(${-editor.scrollTop}px)`; };
  function edited() {
    const program = current();
    keep(program.name, editor.value === program.code ? null : editor.value);
    original.disabled = editor.value === program.code;
    number();
  }
  function open(name) {
    choice.value = name;
    editor.value = kept(name) ?? current().code;
    editor.scrollTop = editor.scrollLeft = 0;
    keep("open", name);
    edited();
    clear();
  }
  function clear() {
    error.replaceChildren();
    printed.textContent = account.textContent = "";
    output.hidden = true;
    pictures.replaceChildren();
    length = 0;
  }

  function begin() {
    ready = false;
    worker = new Worker(`${from}worker.js`);
    worker.onmessage = ({ data }) => told[data.kind](data);
    worker.onerror = (event) => { event.preventDefault(); told.failed({ text: event.message || "the browser did not say why" }); };
  }
  function end() {
    worker?.terminate();
    worker = null;
    ready = false;
    idle();
  }
  function idle() {
    running = false;
    run.disabled = false;
    stop.disabled = true;
    root.removeAttribute("aria-busy");
  }
  const told = {
    stage: ({ text }) => { status.textContent = `Loading ${text} …`; },
    ready: () => { ready = true; if (running) status.textContent = "Running …"; },
    printed: ({ text }) => {
      if (length > MOST) return;
      output.hidden = false;
      printed.append(text);
      length += text.length;
      if (length > MOST) printed.append("\n… and more, which is not shown.");
    },
    done: ({ result }) => {
      idle();
      status.textContent = result.error ? "Stopped by an error." : "Done.";
      const wrong = result.pictures.flatMap((each) => each.findings.map((finding) => finding.line));
      if (result.error) {
        // What the lens found stands with its picture.
        if (result.error.kind !== "finding") fail(result.error.kind, result.error.sentence, result.error.line);
        wrong.push(result.error.line);
      }
      number(wrong.filter(Boolean));
      account.textContent = result.account.length ? `${result.account.join(", ")}.` : "";
      pictures.replaceChildren(...result.pictures.map((each) => hundredfoldPicture(each)));
    },
    broken: ({ text }) => {
      end();
      status.textContent = "";
      fail("Python had to end", `${text} Run again: Python starts anew, and your program is as you left it.`);
    },
    failed: ({ text }) => {
      end();
      status.textContent = "";
      fail("Python could not be loaded", `${text} Are you online? Then load the page again. It needs a browser of 2023 or later.`);
    },
  };
  function fail(kind, sentence, line) {
    const box = document.createElement("div"), head = document.createElement("strong"), text = document.createElement("div");
    head.textContent = line ? `${kind}, line ${line}` : kind;
    text.textContent = sentence;
    box.append(head, text);
    error.replaceChildren(box);
  }

  function start() {
    if (running) return;
    clear();
    number();
    running = true;
    run.disabled = true;
    stop.disabled = false;
    root.setAttribute("aria-busy", "true");
    if (!worker) begin();
    status.textContent = ready ? "Running …" : "Loading Python …";
    worker.postMessage({ code: editor.value });
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); start(); });
  stop.addEventListener("click", () => {
    end();
    status.textContent = "Stopped. What you wrote is still there; the next run starts Python anew.";
    run.focus();
  });
  original.addEventListener("click", () => {
    if (!confirm("Put the program back as it was? What you changed in it is lost.")) return;
    keep(current().name, null);
    open(current().name);
    editor.focus();
  });
  choice.addEventListener("change", () => { if (running) end(); status.textContent = ""; open(choice.value); });
  editor.addEventListener("input", edited);
  editor.addEventListener("scroll", scrolled);
  editor.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey) { event.preventDefault(); start(); return; }
    // A new line begins where the last one did, and deeper after a colon. Tab leaves the editor, as everywhere on a page.
    const before = editor.value.slice(0, editor.selectionStart).split("\n").pop();
    const deeper = /:\s*(#.*)?$/.test(before) ? "    " : "";
    const indent = before.match(/^ */)[0] + deeper;
    if (!indent) return;
    event.preventDefault();
    editor.setRangeText(`\n${indent}`, editor.selectionStart, editor.selectionEnd, "end");
    edited();
  });

  fetch(`${from}programs.json`).then((found) => found.json()).then((found) => {
    programs = [...found, { name: "own", title: "A program of your own", code: "import numpy as np\nfrom numba import cuda\n\n" }];
    choice.replaceChildren(...programs.map(({ name, title }) => new Option(title, name)));
    form.hidden = false;
    const last = kept("open");
    open(programs.some(({ name }) => name === last) ? last : programs[0].name);
  }).catch(() => { status.textContent = "The programs could not be loaded: load the page again."; });
})();
