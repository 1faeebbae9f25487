// The editor of the page "In the browser": CodeMirror with what a page for a first kernel needs, and no more.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

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
    EditorView.lineWrapping,
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
