// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A progress bar. */

interface Props {
  done: number;
  total: number;
  label: string;
}

export function Progress({ done, total, label }: Props) {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  return (
    <div className="bar" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={total} aria-valuenow={done}>
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}
