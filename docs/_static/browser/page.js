// The page "In the browser": its programs, what a run gave, and what is kept of it. Python runs in worker.js, the editor is editor.js,
// pictures are picture.js's.
"use strict";
(() => {
  const root = document.getElementById("try");
  const from = root.dataset.from;
  const find = (name) => root.querySelector(name);
  const form = find("form"), choice = find("select"), about = find(".hf-try-about");
  const run = find(".hf-try-run"), stop = find(".hf-try-stop"), original = find(".hf-try-original");
  const result = find(".hf-try-result"), example = find(".hf-try-example"), status = find(".hf-try-status");
  const loading = find(".hf-try-loading"), bar = find("progress"), told = find(".hf-try-loading span");
  const error = find(".hf-try-error"), output = find(".hf-try-output"), printed = find(".hf-try-output pre");
  const account = find(".hf-try-account"), pictures = find(".hf-try-pictures");
  const MOST = 20_000; // characters that are shown of what a program prints
  const OWN = { name: "own", title: "A program of your own", group: "Yours", code: "import numpy as np\nfrom numba import cuda\n\n" };
  let programs = [], sizes = {}, total = 0, opened = null, worker = null, ready = false, running = false, length = 0;

  // What a learner writes is kept under the program's name; a browser that keeps nothing (private windows) still runs it.
  const key = (name) => `hundredfold-try:${name}`;
  const kept = (name) => { try { return localStorage.getItem(key(name)); } catch { return null; } };
  const keep = (name, text) => {
    try {
      if (text === null) localStorage.removeItem(key(name)); else localStorage.setItem(key(name), text);
    } catch { /* then it lasts as long as the page */ }
  };
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

  const editor = hundredfoldEditor(find(".hf-try-editor"), {
    attributes: {
      "aria-labelledby": "try-label", "aria-describedby": "try-keys", tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    },
    changed: edited,
    run: start,
  });

  function edited() {
    keep(opened.name, editor.code === opened.code ? null : editor.code);
    original.disabled = editor.code === opened.code;
    editor.mark([]);
  }
  function open(name) {
    opened = programs.find((each) => each.name === name);
    choice.value = name;
    editor.open(kept(name) ?? opened.code);
    original.disabled = editor.code === opened.code;
    about.replaceChildren();
    if (opened.page) about.append("From ", Object.assign(document.createElement("a"), { href: opened.page, textContent: opened.group }));
    keep("open", name);
  }
  function clear() {
    example.hidden = loading.hidden = output.hidden = true;
    error.replaceChildren();
    printed.textContent = account.textContent = "";
    pictures.replaceChildren();
    length = 0;
  }
  function show({ account: did, pictures: drawn }) {
    account.textContent = did.length ? `${did.join(", ")}.` : "";
    pictures.replaceChildren(...drawn.map((each) => hundredfoldPicture(each)));
  }
  function print(text) {
    if (length > MOST) return;
    output.hidden = false;
    printed.append(text);
    length += text.length;
    if (length > MOST) printed.append("\n… and more, which is not shown.");
  }

  function begin() {
    ready = false;
    worker = new Worker(`${from}worker.js`);
    worker.onmessage = ({ data }) => says[data.kind](data);
    worker.onerror = (event) => { event.preventDefault(); says.failed({ text: event.message || "The browser gave no reason." }); };
    bar.max = total;
    bar.value = 0;
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
    stop.disabled = loading.hidden = true;
    root.removeAttribute("aria-busy");
  }
  const says = {
    stage: ({ text }) => { status.textContent = `Loading ${text} …`; },
    loaded: ({ bytes }) => {
      bar.value = bytes;
      told.textContent = `${megabytes(Math.min(bytes, total))} of ${megabytes(total)} MB`;
    },
    starting: () => {
      bar.value = total;
      told.textContent = `${megabytes(total)} MB loaded`;
      status.textContent = "Starting Python …";
    },
    ready: () => { ready = loading.hidden = true; if (running) status.textContent = "Running …"; },
    printed: ({ text }) => print(text),
    done: ({ result: came }) => {
      idle();
      status.textContent = came.error ? "Stopped by an error." : "Done.";
      const wrong = came.pictures.flatMap((each) => each.findings.map((finding) => finding.line));
      if (came.error) {
        // What the lens found stands with its picture.
        if (came.error.kind !== "finding") fail(came.error.kind, came.error.sentence, came.error.line);
        wrong.push(came.error.line);
      }
      editor.mark(wrong.filter(Boolean));
      show(came);
      inView();
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
    text.append(...hundredfoldPicture.prose(sentence));
    box.append(head, text);
    error.replaceChildren(box);
  }
  /** Where the result is below the code, bring it into view. */
  function inView() {
    if (result.offsetTop > form.offsetTop) result.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  function start() {
    if (running) return;
    clear();
    editor.mark([]);
    running = true;
    run.disabled = true;
    stop.disabled = false;
    root.setAttribute("aria-busy", "true");
    if (!worker) begin();
    loading.hidden = ready;
    status.textContent = ready ? "Running …" : "Loading Python …";
    inView();
    worker.postMessage({ code: editor.code, sizes });
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); start(); });
  stop.addEventListener("click", () => {
    end();
    status.textContent = "Stopped. What you wrote is still there; the next run starts Python anew.";
    run.focus();
  });
  original.addEventListener("click", () => {
    if (!confirm("Put the program back as it was? What you changed in it is lost.")) return;
    keep(opened.name, null);
    open(opened.name);
    editor.focus();
  });
  choice.addEventListener("change", () => {
    if (running) end();
    if (example.hidden) { clear(); status.textContent = ""; }
    open(choice.value);
    history.replaceState(null, "", location.pathname);
  });

  async function load(name) {
    const got = await fetch(from + name);
    if (!got.ok) throw new Error(`${name}: ${got.status}`);
    return got.json();
  }
  load("programs.json").then((found) => {
    programs = [OWN, ...found.programs];
    sizes = found.sizes;
    total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
    for (const group of new Set(programs.map((each) => each.group))) {
      const part = Object.assign(document.createElement("optgroup"), { label: group });
      part.append(...programs.filter((each) => each.group === group).map(({ name, title }) => new Option(title, name)));
      choice.append(part);
    }
    form.hidden = result.hidden = false;
    // A link names a kernel; its program is looked up here, and runs when the learner runs it.
    const known = (name) => programs.some((each) => each.name === name);
    const asked = new URLSearchParams(location.search).get("kernel"), last = kept("open");
    open([asked, last].find(known) ?? found.programs[0].name);
    if (asked && !known(asked)) status.textContent = "The kernel that the link names is not here: choose another program.";
    if (asked && known(asked)) form.scrollIntoView();
    load("example.json").then((made) => {
      if (worker) return; // a result is there, or on its way
      example.hidden = false;
      find(".hf-try-example q").textContent = found.programs[0].title;
      print(made.printed);
      show(made);
    }).catch(() => { /* then there is nothing before the first run */ });
  }).catch(() => { status.textContent = "The programs could not be loaded: load the page again."; });
})();
