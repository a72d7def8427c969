// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's document as text with numbered lines; what the service refuses is shown at its line. */

import { useId, useRef } from "react";
import { sentence } from "@/api/problem";
import { ErrorNotice, Notice } from "@/components/notice";
import { atLines, lineRange } from "@/pages/checks/document_errors";

interface Props {
  text: string;
  onChange: (text: string) => void;
  /** The service's answer to the last attempt to save. */
  error: unknown;
  readOnly?: boolean;
}

/** Lines shown even of a short document. */
const LEAST_LINES = 12;

export function DocumentEditor({ text, onChange, error, readOnly }: Props) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const wrong = atLines(error);
  const lines = Math.max(LEAST_LINES, text.split("\n").length);
  const goTo = (line: number) => {
    const [from, to] = lineRange(text, line);
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };
  return (
    <div className="stack tight">
      <label htmlFor={id}>
        <strong>Document</strong>
      </label>
      <div className="numbered">
        <div className="numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, i) => (
            <div key={i} className={wrong.some(({ line }) => line === i + 1) ? "wrong" : undefined}>
              {i + 1}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          ref={area}
          rows={lines}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          readOnly={readOnly}
          aria-invalid={wrong.length > 0 || undefined}
          aria-describedby={wrong.length > 0 ? `${id}-errors` : undefined}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {wrong.length > 0 ? (
        <div id={`${id}-errors`}>
          <Notice kind="bad" title="Not saved">
            <ul>
              {wrong.map(({ line, detail }) => (
                <li key={`${line} ${detail}`}>
                  <button type="button" className="plain-link" onClick={() => goTo(line)}>
                    Line {line}
                  </button>
                  : {detail}
                </li>
              ))}
            </ul>
            {wrong.every(({ detail }) => !sentence(error).includes(detail)) && <p>{sentence(error)}</p>}
          </Notice>
        </div>
      ) : (
        <ErrorNotice error={error} title="Not saved" />
      )}
    </div>
  );
}
