/* Starts reveal.js, and sets a slide smaller whose text is higher than was reckoned (other letters, another system). */
(() => {
  "use strict";
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  Reveal.initialize({
    width: 1280, height: 720, margin: 0, minScale: 0.1, maxScale: 3, center: false,
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
      if (slide.scrollHeight <= 720) return;
      slide.classList.remove("hf-smaller");
      slide.classList.add(size);
    }
  };
  Reveal.on("ready", (event) => fit(event.currentSlide));
  Reveal.on("slidechanged", (event) => fit(event.currentSlide));
})();
