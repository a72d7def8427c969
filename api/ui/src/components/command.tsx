// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A command with a button that copies it. Over plain http from another machine browsers have no clipboard: it is selected there. */

import { useEffect, useRef, useState } from "react";

const SHOWN_MS = 4000;

export function Command({ text }: { text: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = window.setTimeout(() => setSaid(""), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      if (code.current) window.getSelection()?.selectAllChildren(code.current);
      setSaid("Selected: press Ctrl and C");
    }
  };
  return (
    <div className="command">
      <code ref={code}>{text}</code>
      <span role="status" className="copied small soft">
        {said}
      </span>
      <button type="button" className="plain-link small" onClick={copy}>
        Copy<span className="hidden-text"> the command {text}</span>
      </button>
    </div>
  );
}
