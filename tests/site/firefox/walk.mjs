// Opens pages in Firefox and says what is wrong with each, one line of JSON a page.
// node walk.mjs FIREFOX ADDRESS AXE WIDTH HEIGHT SCHEME PAGE...
import { readFileSync } from "node:fs";
import { open } from "./open.mjs";

const [program, address, axe, width, height, scheme, ...pages] = process.argv.slice(2);
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

const source = readFileSync(axe, "utf8");
await open(program, address, { width: +width, height: +height, scheme }, async (page, wrong) => {
  for (const name of pages) {
    wrong.length = 0;
    await page.goto(address + name, { waitUntil: "load" });
    wrong.push(...(await page.evaluate(look)));
    await page.evaluate(source);
    const found = await page.evaluate((rules) => axe.run(document, rules), RULES);
    wrong.push(...found.violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 160)}`));
    console.log(JSON.stringify({ name, wrong, width: await page.evaluate("innerWidth"), dark: await page.evaluate("document.documentElement.dataset.theme === 'dark'") }));
  }
});
