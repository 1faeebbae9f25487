// Python in a thread of its own, so that a program without an end can be stopped and the page stays as it is.
"use strict";
let session = null;
const say = (kind, rest = {}) => postMessage({ kind, ...rest });

async function start() {
  say("stage", { text: "Python (12 MB)" });
  importScripts("pyodide/pyodide.js");
  const python = await loadPyodide({ indexURL: new URL("pyodide/", self.location).href });
  say("stage", { text: "NumPy (3 MB)" });
  await python.loadPackage("numpy", { messageCallback: () => {} });
  say("stage", { text: "the simulated GPU (1 MB)" });
  const own = await fetch("hundredfold.zip");
  if (!own.ok) throw new Error(`hundredfold.zip: ${own.status}`);
  python.unpackArchive(await own.arrayBuffer(), "zip");
  session = python.runPython("from hundredfold.publish.browser import Session; Session()");
  say("ready");
}

const begun = start().catch((error) => say("failed", { text: String(error.message || error).trim().split("\n").pop() }));

onmessage = async ({ data }) => {
  await begun;
  if (!session) return;
  try {
    say("done", { result: JSON.parse(session.run(data.code, (text) => say("printed", { text }))) });
  } catch (error) {
    // Python itself came to an end: memory that is gone, or a recursion too deep for the browser.
    say("broken", { text: String(error.message || error).trim().split("\n").pop() });
  }
};
