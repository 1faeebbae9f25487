// The editor of the page "In the browser": CodeMirror with what a page for a first kernel needs, and no more.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

/** Each line knows how far it is indented, so that what goes on below is set in further: hundredfold.css does that. */
function indented(view) {
  const found = new RangeSetBuilder();
  for (const { from, to } of view.visibleRanges)
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at), spaces = line.text.search(/[^ ]|$/);
      found.add(line.from, line.from, Decoration.line({ attributes: { style: `--indented: ${spaces}ch` } }));
      at = line.to + 1;
    }
  return found.finish();
}
const indentation = ViewPlugin.fromClass(class {
  constructor(view) { this.decorations = indented(view); }
  update({ docChanged, viewportChanged, view }) { if (docChanged || viewportChanged) this.decorations = indented(view); }
}, { decorations: (plugin) => plugin.decorations });

/** An editor in `parent`; `changed` is called after each edit of the learner's, `run` at Ctrl, Cmd or Shift with Enter. */
globalThis.hundredfoldEditor = (parent, { attributes, changed, run }) => {
  const marks = new Compartment();
  const start = () => { run(); return true; };
  const extensions = [
    keymap.of([
      ...["Shift-Enter", "Ctrl-Enter", "Mod-Enter"].map((key) => ({ key, run: start })),
      indentWithTab, // Escape, and then Tab, leaves the editor
      ...historyKeymap, ...defaultKeymap,
    ]),
    marks.of(lineNumbers()),
    history(), python(), indentUnit.of("    "), indentOnInput(), bracketMatching(),
    syntaxHighlighting(classHighlighter), // colours are hundredfold.css's, for light and dark
    EditorView.lineWrapping, indentation,
    EditorView.contentAttributes.of(attributes),
    EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
  ];
  const state = (code) => EditorState.create({ doc: code, extensions });
  const view = new EditorView({ parent, state: state("") });
  return {
    get code() { return view.state.doc.toString(); },
    /** Another program, with a history of its own. */
    open(code) { view.setState(state(code)); },
    focus() { view.focus(); },
    /** Mark the lines with these numbers as wrong. */
    mark(wrong) {
      const there = [...new Set(wrong)].filter((line) => line >= 1 && line <= view.state.doc.lines).sort((a, b) => a - b);
      const line = Decoration.line({ class: "hf-wrong" });
      view.dispatch({ effects: marks.reconfigure([
        lineNumbers({ formatNumber: (number) => (there.includes(number) ? `✕ ${number}` : String(number)) }),
        EditorView.decorations.of(Decoration.set(there.map((number) => line.range(view.state.doc.line(number).from)))),
      ]) });
    },
  };
};
