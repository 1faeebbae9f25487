/* What is wider than its box scrolls in it: by touch, and by keyboard; it says so as long as there is more to the right. */
(() => {
  const boxes = ".pst-scrollable-table-container, .hf-scroll, .hf-columns, .math-block, .cell_output, .cell_output > .output";
  const known = new Map();
  const look = (box) => {
    const hidden = box.scrollWidth - box.clientWidth;
    let said = known.get(box);
    if (hidden > 0) box.tabIndex = 0; // keys have to reach what scrolls, however little
    if (hidden > 2 && !said) {
      known.set(box, said = document.createElement("span"));
      said.className = "hf-swipe";
      said.ariaHidden = "true";
      said.textContent = "Swipe for the rest →";
      if (!box.matches(".hf-columns")) box.after(said);
      box.addEventListener("scroll", () => look(box), { passive: true });
    }
    box.classList.toggle("hf-more", hidden - box.scrollLeft > 2);
    if (said) said.hidden = hidden <= 2;
  };
  // A box gets another size with the window, when something folded is opened, and when a page is laid out late.
  const sizes = new ResizeObserver((changed) => requestAnimationFrame(() => changed.forEach(({ target }) => look(target))));
  addEventListener("load", () => document.querySelectorAll(boxes).forEach((box) => {
    look(box);
    sizes.observe(box);
  }));
})();
