// Opens pages in Firefox by WebDriver BiDi and says what is wrong with each, one line of JSON a page.
// node walk.mjs FIREFOX AXE WIDTH HEIGHT SCHEME ADDRESS PAGE...
import { readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [executablePath, axe, width, height, scheme, address, ...pages] = process.argv.slice(2);
const RULES = { preload: false, runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }, rules: { "color-contrast": { enabled: false } } };

/** What a page says of itself: pictures that did not come or have no sentence, and what is wider than the window. */
const look = () => {
  const pictures = [...document.querySelectorAll("img")];
  const wide = document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} px wide`] : [];
  return [
    ...pictures.filter((each) => !each.complete || !each.naturalWidth).map((each) => `no picture: ${each.src.slice(0, 99)}`),
    ...pictures.filter((each) => !each.hasAttribute("alt") || /\.(png|svg)$/.test(each.alt)).map((each) => `no words: ${each.src.slice(0, 99)}`),
    ...wide,
    ...(document.title.trim() ? [] : ["no title"]),
    ...(document.querySelector("main") ? [] : ["no main landmark"]),
  ];
};

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath,
  args: ["--width", width, "--height", height],
  extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1, "ui.prefersReducedMotion": 1 },
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: +width, height: +height });
  let wrong = [];
  page.on("console", (said) => said.type() === "error" && wrong.push(`console: ${said.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("request", (asks) => /^(data|blob):/.test(asks.url()) || asks.url().startsWith(address) || wrong.push(`asks ${asks.url()}`));
  page.on("response", (got) => got.status() >= 400 && wrong.push(`${got.status()}: ${got.url()}`));
  const source = readFileSync(axe, "utf8");
  for (const name of pages) {
    wrong = [];
    await page.goto(address + name, { waitUntil: "load" });
    wrong.push(...(await page.evaluate(look)));
    await page.evaluate(source);
    const found = await page.evaluate((rules) => axe.run(document, rules), RULES);
    wrong.push(...found.violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 160)}`));
    console.log(JSON.stringify({ name, wrong, width: await page.evaluate("innerWidth"), dark: await page.evaluate("document.documentElement.dataset.theme === 'dark'") }));
  }
} finally {
  await browser.close();
}
