// Two answers of a launch side by side: the chosen ones, and where they differ.
const entry = entries.find((e) => e.name === array.value);
const chosen = selects.map((select) => Math.max(0, names.indexOf(select.value)));
const [left, right] = chosen.map((k) => entry.values[k]);
const short = (text) => text.length <= 6 ? text : Number.isFinite(Number(text)) ? String(Number(Number(text).toPrecision(4))) : text.slice(0, 5) + "…";
sides.forEach((side, k) => {
  const mine = entry.values[chosen[k]], differs = mine.map((_, i) => left[i] !== right[i]);
  side.cells.data = {
    x: entry.x, y: entry.y, value: mine, index: entry.index,
    shown: mine.map(short),
    colour: differs.map((d) => d ? colours[k] : none),
    style: differs.map((d) => d ? "bold" : "normal"),
    ink: differs.map((d) => d ? "#000000" : ink),
  };
  orders[k].text = `${sentences[chosen[k]]}.`;
});
const count = left.filter((v, i) => v !== right[i]).length;
note.text = `${entry.note} In colour: the ${count} shown here that differ between the two.`;
