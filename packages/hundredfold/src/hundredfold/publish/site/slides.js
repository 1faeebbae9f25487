/* Starts reveal.js. A slide whose text is higher than was computed (other letters, another system) is set smaller, and one with little text larger. */
(() => {
  "use strict";
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  Reveal.initialize({
    width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 3, center: false,
    navigationMode: "linear", // the right arrow goes through all slides, also to the ones below
    hash: true, slideNumber: "c/t", transition: "none", backgroundTransition: "none",
    autoAnimate: false, pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false,
    scrollActivationWidth: 500, scrollLayout: "compact", viewDistance: 2,
    jumpToSlide: true,
    help: true, controlsTutorial: !calm,
  });
  const fit = (slide) => {
    if (!slide || slide.dataset.fitted) return;
    slide.dataset.fitted = "yes";
    for (const size of ["hf-smaller", "hf-smallest"]) {
      if (slide.scrollHeight <= 720) break;
      slide.classList.remove("hf-smaller");
      slide.classList.add(size);
    }
    const high = () => slide.scrollHeight - 74; // without the slide's padding
    for (let larger = 1.2; high() < 330 && larger < 3.7 && !slide.querySelector("img"); larger += 0.2) {
      slide.classList.add("hf-larger");
      slide.style.setProperty("--larger", larger.toFixed(1));
    }
  };
  // Where slides are read by scrolling all are in sight; reveal.js goes on hiding all but one from those who listen.
  const show = () => {
    if (Reveal.isScrollView()) document.querySelectorAll(".slides section[aria-hidden]").forEach((each) => each.removeAttribute("aria-hidden"));
  };
  Reveal.on("ready", show);
  Reveal.on("slidechanged", show);
  Reveal.on("ready", (event) => fit(event.currentSlide));
  Reveal.on("slidechanged", (event) => fit(event.currentSlide));
})();
