// Firefox with one page, by WebDriver BiDi, and what goes wrong in it.
import puppeteer from "puppeteer-core";

/** Call `look(page, wrong)`; `wrong` gets what the page's console says of errors, and what it asks of others or in vain. */
export async function open(executablePath, address, { width, height, scheme }, look) {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath,
    args: ["--width", String(width), "--height", String(height)],
    extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1, "ui.prefersReducedMotion": 1 },
  });
  try {
    const page = await browser.newPage(), wrong = [];
    await page.setViewport({ width, height });
    page.on("console", (said) => said.type() === "error" && wrong.push(`console: ${said.text()}`));
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("request", (asks) => /^(data|blob):/.test(asks.url()) || asks.url().startsWith(address) || wrong.push(`asks ${asks.url()}`));
    page.on("response", (got) => got.status() >= 400 && wrong.push(`${got.status()}: ${got.url()}`));
    await look(page, wrong);
  } finally {
    await browser.close();
  }
}
