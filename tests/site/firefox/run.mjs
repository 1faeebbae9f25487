// Runs programs of the page "In the browser" in Firefox, one after the other, and says what each gave, one line of JSON a program.
// node run.mjs FIREFOX ADDRESS PROGRAM...
import { open } from "./open.mjs";

const LONG = 300_000; // ms: Python itself is loaded, on a machine that may be ten times slower
const [program, address, ...names] = process.argv.slice(2);

/** What the page shows of a run. */
const shown = () => {
  const texts = (which) => [...document.querySelectorAll(which)].map((each) => each.innerText);
  return {
    status: document.querySelector(".hf-try-status").innerText,
    printed: document.querySelector(".hf-try-output pre").textContent,
    errors: texts(".hf-try-error > div"),
    findings: texts(".hf-try-finding"),
    titles: texts(".hf-try-title"),
    marked: texts("#try .hf-wrong"),
    // A canvas on which nothing is drawn has one colour.
    drawn: [...document.querySelectorAll(".hf-try-picture canvas")].filter((each) => each.checkVisibility()).map((each) => {
      const { data } = each.getContext("2d").getImageData(0, 0, each.width, each.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }),
  };
};

await open(program, address, { width: 1280, height: 900, scheme: "light" }, async (page, wrong) => {
  await page.goto(`${address}browser.html`, { waitUntil: "load" });
  await page.waitForSelector("#try form:not([hidden])");
  for (const name of names) {
    wrong.length = 0;
    await page.select("#try-program", name);
    await page.click(".hf-try-run");
    await page.waitForFunction(() => !document.querySelector(".hf-try-run").disabled, { timeout: LONG });
    console.log(JSON.stringify({ name, wrong, ...(await page.evaluate(shown)) }));
  }
});
