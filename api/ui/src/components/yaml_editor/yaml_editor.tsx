// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An editor of a YAML document: line numbers, errors in place, help from the document's schema. */

import "@/components/yaml_editor/yaml_editor.css";
import { lazy, type ReactNode, Suspense, useId, useMemo, useRef } from "react";
import { useSchema } from "@/api/queries/documents";
import type { DocumentProblem } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/notice";
import type { EditorHandle } from "@/components/yaml_editor/code_mirror";
import type { Names } from "@/components/yaml_editor/completion";
import { problemsOf } from "@/components/yaml_editor/problems";

const CodeMirror = lazy(() => import("@/components/yaml_editor/code_mirror"));

interface Props {
  /** Kind of document, whose schema gives help. */
  kind: string;
  label: string;
  description?: ReactNode;
  value: string;
  onChange?: (value: string) => void;
  problems?: readonly DocumentProblem[];
  warnings?: readonly DocumentProblem[];
  /** The service's answer to the last attempt to save. */
  error?: unknown;
  /** Names that may be written, by place: `{"workloads.*": ["scenario-1"]}`. */
  names?: Names;
}

const NONE: readonly DocumentProblem[] = [];
const NO_NAMES: Names = {};
/** Problems in the list below the text; all have their marks in it. */
const MOST_LISTED = 12;

/** Without `onChange`, the text is only read. */
export function YamlEditor({ kind, label, description, value, onChange, problems = NONE, warnings = NONE, error, names }: Props) {
  const id = useId();
  const schema = useSchema(kind);
  const handle = useRef<EditorHandle>(null);
  const found = useMemo(() => (problems.length > 0 ? problems : problemsOf(error)), [problems, error]);
  return (
    <div className="stack tight">
      <strong>{label}</strong>
      {description && <span className="small soft">{description}</span>}
      <Suspense fallback={<pre className="code yaml-waiting">{value}</pre>}>
        <CodeMirror
          value={value}
          onChange={onChange ?? ignore}
          readOnly={!onChange}
          label={label}
          describedBy={id}
          problems={found}
          warnings={warnings}
          schema={schema.data}
          names={names ?? NO_NAMES}
          handle={handle}
        />
      </Suspense>
      <div id={id} className="small soft">
        {onChange
          ? "Ctrl+Space shows keys and values, Ctrl+F searches; Escape, then Tab leaves the editor."
          : "Ctrl+F searches. The text cannot be changed here."}
      </div>
      <ProblemList
        kind="bad"
        title={error ? "Not saved" : "Not valid"}
        problems={found}
        onShow={(one) => handle.current?.show(one)}
      />
      {found.length === 0 && <ErrorNotice error={error} title="Not saved" />}
      <ProblemList kind="warn" title="Warnings" problems={warnings} onShow={(one) => handle.current?.show(one)} />
    </div>
  );
}

const ignore = () => {};

interface ListProps {
  kind: "bad" | "warn";
  title: string;
  problems: readonly DocumentProblem[];
  onShow: (problem: DocumentProblem) => void;
}

function ProblemList({ kind, title, problems, onShow }: ListProps) {
  if (problems.length === 0) return null;
  return (
    <Notice kind={kind} title={title}>
      <ul className="yaml-problems">
        {problems.slice(0, MOST_LISTED).map((problem, i) => (
          <li key={i}>
            {problem.line === null ? null : (
              <>
                <button type="button" className="plain-link" onClick={() => onShow(problem)}>
                  Line {problem.line}
                </button>
                {": "}
              </>
            )}
            {problem.detail}
          </li>
        ))}
      </ul>
      {problems.length > MOST_LISTED && <p>And {problems.length - MOST_LISTED} more, marked in the text.</p>}
    </Notice>
  );
}
