// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** CodeMirror for YAML. It is large, and loaded when the first editor is shown. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { DocumentProblem } from "@/api/types";
import { complete, helpElement, helpFor, type Names } from "@/components/yaml_editor/completion";
import { rangeOf } from "@/components/yaml_editor/problems";
import type { Schema } from "@/components/yaml_editor/schema_help";

export interface EditorHandle {
  /** Moves the cursor to a problem, and the focus to the editor. */
  show: (problem: DocumentProblem) => void;
}

export interface CodeMirrorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  describedBy: string;
  problems: readonly DocumentProblem[];
  warnings: readonly DocumentProblem[];
  schema?: Schema;
  names: Names;
  readOnly: boolean;
  handle: Ref<EditorHandle>;
}

/** Colours of the theme, whose contrast holds in both schemes. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--mantine-color-blue-light-color)" },
  { tag: [tags.string, tags.attributeValue], color: "var(--good)" },
  { tag: [tags.lineComment, tags.meta], color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--soft)" },
  { tag: [tags.invalid], color: "var(--bad)" },
]);

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? "";

export default function CodeMirror(props: CodeMirrorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const access = useRef(new Compartment());

  useEffect(() => {
    if (!place.current) return;
    const one = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          lintGutter(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          search({ top: true }),
          yaml(),
          indentUnit.of("  "),
          EditorState.tabSize.of(2),
          syntaxHighlighting(HIGHLIGHT),
          autocompletion({ override: [(context) => complete(context, latest.current.schema, latest.current.names)] }),
          hoverTooltip((editor, position) => {
            const { schema } = latest.current;
            const found = schema && helpFor(editor.state.doc.toString(), position, schema);
            return found ? { pos: found.from, end: found.to, create: () => ({ dom: helpElement(found.help) }) } : null;
          }),
          // Escape, then Tab leaves the editor: CodeMirror lets Tab pass for two seconds after Escape.
          keymap.of([
            ...closeBracketsKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...completionKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          access.current.of([]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            if (text !== latest.current.value) latest.current.onChange(text);
          }),
        ],
      }),
    });
    view.current = one;
    return () => {
      view.current = null;
      one.destroy();
    };
  }, []);

  useEffect(() => {
    const one = view.current;
    // A text from elsewhere, such as another template.
    if (one && one.state.doc.toString() !== props.value)
      one.dispatch({ changes: { from: 0, to: one.state.doc.length, insert: props.value } });
  }, [props.value]);

  const { label, describedBy, readOnly } = props;
  const isWrong = props.problems.length > 0;
  useEffect(() => {
    view.current?.dispatch({
      effects: access.current.reconfigure([
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-describedby": describedBy,
          "aria-readonly": String(readOnly),
          ...(isWrong && { "aria-invalid": "true" }),
          // A part that scrolls must be reached by the keyboard.
          tabindex: "0",
          autocapitalize: "off",
          spellcheck: "false",
        }),
      ]),
    });
  }, [label, describedBy, readOnly, isWrong]);

  useEffect(() => {
    const one = view.current;
    if (!one) return;
    const diagnostics = (found: readonly DocumentProblem[], severity: Diagnostic["severity"]): Diagnostic[] =>
      found.map((problem) => {
        const [from, to] = rangeOf(one.state.doc, problem);
        return { from, to, severity, message: problem.detail };
      });
    const all = [...diagnostics(props.problems, "error"), ...diagnostics(props.warnings, "warning")];
    one.dispatch(
      setDiagnostics(
        one.state,
        all.sort((a, b) => a.from - b.from),
      ),
    );
  }, [props.problems, props.warnings]);

  useImperativeHandle(props.handle, () => ({
    show: (problem) => {
      const one = view.current;
      if (!one) return;
      const [anchor, head] = rangeOf(one.state.doc, problem);
      one.dispatch({ selection: { anchor, head }, scrollIntoView: true });
      one.focus();
    },
  }));

  return <div ref={place} className="yaml-editor" />;
}
