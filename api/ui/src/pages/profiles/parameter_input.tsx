// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One parameter of a profile: its value, its meaning and its range. */

import { NumberInput, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useEffect, useId, useState } from "react";
import type { ParameterHelp } from "@/api/types";
import { number } from "@/format/quantity";

interface Props {
  parameter: ParameterHelp;
  value: unknown;
  problem?: string;
  disabled?: boolean;
  onChange: (value: unknown) => void;
}

/** "0 to 255 in units of 64 bytes, default 0" */
export function rangeText({ minimum, maximum, exclusive_minimum, default: standard, unit }: ParameterHelp): string {
  const least = minimum === null ? "" : exclusive_minimum ? `above ${number(minimum)}` : number(minimum);
  let range = "";
  if (maximum !== null) range = least ? `${least} to ${number(maximum)}` : `at most ${number(maximum)}`;
  else if (least) range = exclusive_minimum ? least : `at least ${least}`;
  // A unit that is itself a number of something: the raw value counts those.
  const measured = unit && /^\d/.test(unit) ? `in units of ${unit}` : (unit ?? "");
  const standing = standard === null || standard === undefined ? "" : `default ${textOf(standard)}`;
  return [[range, measured].filter(Boolean).join(" "), standing].filter(Boolean).join(", ");
}

/** As a sentence: the service's helps are phrases. */
export function asSentence(help: string): string {
  const text = help.charAt(0).toUpperCase() + help.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** A list as people type it: "1, 2, 5". */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Reads what was typed: a word, a number, a list of numbers, or JSON. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (/^[\d\s,]+$/.test(trimmed)) {
    const numbers = trimmed
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
    return numbers.length === 1 && !trimmed.includes(",") ? numbers[0] : numbers;
  }
  if (/^[[{]/.test(trimmed)) {
    try {
      return JSON.parse(trimmed) as unknown;
    } catch {
      return trimmed;
    }
  }
  return trimmed;
}

const NUMBERS = new Set(["integer", "number", "int", "float"]);

export function ParameterInput({ parameter, value, problem, disabled, onChange }: Props) {
  const id = useId();
  const common = {
    id,
    label: (
      <>
        {parameter.label} <code className="parameter-path">{parameter.path}</code>
      </>
    ),
    description: (
      <>
        {asSentence(parameter.help)} <span className="range">{rangeText(parameter)}</span>
      </>
    ),
    error: problem,
    disabled,
    inputWrapperOrder: ["label", "input", "error", "description"] as ("label" | "input" | "error" | "description")[],
  };
  if (NUMBERS.has(parameter.kind)) {
    return (
      <NumberInput
        {...common}
        value={typeof value === "number" ? value : ""}
        placeholder={textOf(parameter.default)}
        allowDecimal={!parameter.kind.startsWith("int")}
        // A value out of range is reported, not silently changed.
        clampBehavior="none"
        onChange={(next) => onChange(next === "" ? undefined : Number(next))}
      />
    );
  }
  if (parameter.kind === "boolean") {
    const standing = value ?? parameter.default;
    return (
      <div>
        <span className="parameter-label" id={`${id}-label`}>
          {parameter.label} <code className="parameter-path">{parameter.path}</code>
        </span>
        <SegmentedControl
          aria-labelledby={`${id}-label`}
          disabled={disabled}
          data={["true", "false"]}
          value={String(standing)}
          onChange={(next) => onChange(next === "true")}
        />
        <p className="small soft">{asSentence(parameter.help)}</p>
      </div>
    );
  }
  if (parameter.choices.length > 0) {
    return (
      <Select
        {...common}
        data={parameter.choices.map((choice) => textOf(choice))}
        value={value === undefined ? null : textOf(value)}
        placeholder={textOf(parameter.default)}
        onChange={(next) => onChange(parameter.choices.find((choice) => textOf(choice) === next) ?? next ?? undefined)}
      />
    );
  }
  return <TypedInput {...common} value={value} placeholder={textOf(parameter.default)} onChange={onChange} />;
}

type Typed = Omit<React.ComponentProps<typeof TextInput>, "value" | "onChange"> & {
  value: unknown;
  onChange: (value: unknown) => void;
};

/** Text is parsed when the field loses the focus: "1, " on the way to "1, 2" is no value yet. */
function TypedInput({ value, onChange, ...props }: Typed) {
  const [text, setText] = useState(textOf(value));
  const known = textOf(value);
  useEffect(() => setText(known), [known]);
  return (
    <TextInput
      {...props}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => text !== known && onChange(parseValue(text))}
      onKeyDown={(event) => event.key === "Enter" && text !== known && onChange(parseValue(text))}
    />
  );
}
