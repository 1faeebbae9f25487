// Python in a thread of its own, so that a program without an end can be stopped and the page stays as it is.
"use strict";
let session = null;
const say = (kind, rest = {}) => postMessage({ kind, ...rest });

/** Say how much of the files has come, as they come. `sizes` has the bytes of those that are loaded as scripts. */
function count(sizes) {
  const fetched = fetch.bind(self), imported = importScripts.bind(self);
  let bytes = 0, told = 0;
  const came = (more) => {
    bytes += more;
    if (Date.now() - told < 100) return;
    told = Date.now();
    say("loaded", { bytes });
  };
  self.importScripts = (...addresses) => {
    imported(...addresses);
    for (const each of addresses) came(sizes[String(each).split("/").pop()] ?? 0);
  };
  self.fetch = async (...asked) => {
    const got = await fetched(...asked);
    if (!got.ok || !got.body) return got;
    const body = got.body.pipeThrough(new TransformStream({ transform(chunk, on) { came(chunk.byteLength); on.enqueue(chunk); } }));
    return new Response(body, { status: got.status, statusText: got.statusText, headers: got.headers });
  };
}

async function start(sizes) {
  count(sizes);
  say("stage", { text: "Python" });
  importScripts("pyodide/pyodide.js");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", self.location).href });
  say("stage", { text: "NumPy" });
  await python.loadPackage("numpy", { messageCallback: () => {} });
  say("stage", { text: "the simulated GPU" });
  const own = await fetch("hundredfold.zip");
  if (!own.ok) throw new Error(`hundredfold.zip: ${own.status}`);
  python.unpackArchive(await own.arrayBuffer(), "zip");
  say("starting");
  session = python.runPython("from hundredfold.publish.browser import Session; Session()");
  say("ready");
}

let begun = null;
const failed = (error) => say("failed", { text: String(error.message || error).trim().split("\n").pop() });

onmessage = async ({ data }) => {
  begun ??= start(data.sizes).catch(failed);
  await begun;
  if (!session) return;
  try {
    say("done", { result: JSON.parse(session.run(data.code, (text) => say("printed", { text }))) });
  } catch (error) {
    // Python itself came to an end: memory that is gone, or a recursion too deep for the browser.
    say("broken", { text: String(error.message || error).trim().split("\n").pop() });
  }
};
