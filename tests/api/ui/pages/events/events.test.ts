// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import { since } from "@/pages/events/audit_log";
import { happening, summary } from "@/pages/events/live_events";

it("sums an event's short values up", () =>
  expect(summary({ kind: "campaign", state: "running", progress: { done: 1 }, problem: null })).toBe(
    "kind campaign, state running",
  ));

it("says in words what has happened", () => {
  const job = {
    at: "2026-11-22T07:55:58.081Z",
    topic: "jobs",
    id: "01a2",
    kind: "campaign",
    state: "running",
    fabric: "tree",
    title: "Campaign",
    subject: { campaign: "01a1", name: "first" },
  };
  const progress = { done: 3, total: 16, text: "searching" };
  expect(happening({ kind: "job", data: { ...job, progress, problem: null, created_by: "anna" } })).toBe(
    "Campaign, first on tree: running, 3 of 16, searching, by anna",
  );
  const waits = { ...job, state: "queued", progress, problem: null, created_by: "anna", not_before: "2099-11-23T22:00:00Z" };
  expect(happening({ kind: "job", data: waits })).toMatch(/^Campaign, first on tree: queued, waits until .*2099.*, by anna$/);
  expect(happening({ kind: "job", data: { ...waits, state: "cancelled" } })).toBe(
    "Campaign, first on tree: cancelled, 3 of 16, searching, by anna",
  );
  const entry = { actor: "anna", action: "fabric.apply", object: "profile gran-2010 version 1", detail: { ttl_s: 600 } };
  expect(happening({ kind: "entry", data: entry })).toBe("anna: fabric.apply, profile gran-2010 version 1, ttl_s 600");
  const check = { at: job.at, topic: "checks", check: "site", fabric: "tree", job: "01a2" };
  const night = { ...check, date: "2026-11-22", state: "done", verdict: "fail", headline: "S1 is slow", late: false };
  expect(happening({ kind: "check.night", data: night })).toBe("check site on tree: night of 2026-11-22, fail, S1 is slow");
  expect(happening({ kind: "check.night", data: { ...night, state: "running", verdict: null, headline: null } })).toBe(
    "check site on tree: night of 2026-11-22, running",
  );
  expect(happening({ kind: "check.changed", data: { ...check, action: "schedule" } })).toBe("check site on tree: schedule");
  expect(happening({ kind: "state", data: { at: job.at, topic: "fabric:tree", fabric: "tree", action: "restore" } })).toBe(
    "fabric tree, action restore",
  );
});

it("asks from a full hour on, so that the question stays the same while the page is open", () => {
  const now = Date.parse("2026-11-22T12:34:56Z");
  expect(since("1", now)).toBe("2026-11-21T12:00:00.000Z");
  expect(since("", now)).toBe("");
});
