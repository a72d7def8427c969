// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the service answers, field by field. Times are RFC 3339 in UTC; units are in the names. */

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

export type Role = "viewer" | "operator" | "admin";

export interface User {
  id: string;
  username: string;
  role: Role;
  created_at: string;
  disabled: boolean;
}

export interface Session {
  user: User;
  csrf_token: string | null;
}

export interface Token {
  id: string;
  name: string;
  role: Role;
  username: string;
  created_at: string;
  expires_at: string;
  used_at: string | null;
  fabrics: string[] | null;
  secret?: string;
}

export interface Fabric {
  name: string;
  kind: string;
  description: string;
  options: Record<string, unknown>;
  second_person: boolean;
  hosted: boolean;
  created_at: string;
  created_by: string;
  etag: string;
}

export interface DeviceCounts {
  total: number;
  applied: number;
  drifted: number;
  unsupported: number;
  timing_out: number;
  clamped: number;
  unknown: number;
  [state: string]: number;
}

export interface ActiveProfile {
  name: string;
  version: number | null;
  digest: string;
  revision: number | null;
  since: string | null;
}

export interface FabricState {
  fabric: string;
  kind: string;
  reachable: boolean;
  reason: string | null;
  sm_state: string | null;
  active_profile: ActiveProfile | null;
  base_profile: ActiveProfile | null;
  experiment: { owner: string | null; ends_at: string | null } | null;
  devices: DeviceCounts;
  warnings: string[];
  checked_at: string;
}

export interface TopologyNode {
  id: string;
  guid?: string | null;
  name: string;
  kind: "host" | "switch" | "group";
  count: number;
  x: number;
  y: number;
  congestion: number | null;
}

export interface TopologyLink {
  a: string;
  b: string;
  count: number;
  rate_gbps: number;
  congestion: number | null;
}

export interface Topology {
  levels: { level: number | null; kind: string; nodes: TopologyNode[] }[];
  links: TopologyLink[];
}

export interface DeviceRow {
  guid: string;
  port: number;
  name: string;
  kind: string;
  lid: number | null;
  present: boolean;
  state: string;
  reacts: boolean | null;
  drifts: number;
  timeouts: number;
  applied_at: string | null;
  detail: string | null;
}

export interface DevicePort {
  port: number;
  peer: { guid: string; name: string; port: number } | null;
  rate: string | null;
  rate_gbps: number | null;
  congestion: number | null;
  state: string | null;
}

export interface DeviceAttribute {
  port: number;
  attribute: string;
  block: number;
  wanted: Record<string, unknown> | null;
  held: Record<string, unknown> | null;
}

export interface DeviceDetail extends DeviceRow {
  ports: DevicePort[];
  tables: DeviceAttribute[];
}

export interface ParameterHelp {
  path: string;
  label: string;
  help: string;
  unit: string | null;
  minimum: number | null;
  maximum: number | null;
  exclusive_minimum: boolean;
  default: unknown;
  kind: string;
  choices: unknown[];
  required: boolean;
}

export interface CurvePoint {
  ccti: number;
  ird_us: number | null;
  ird_packet_times: number;
  shift: number;
  multiplier: number;
}

export interface Validation {
  valid: boolean;
  problems: { path: string; line?: number | null; detail: string }[];
  warnings: string[];
  resolved: unknown;
  packet_time_ns: number | null;
  reach: string | null;
  curve: CurvePoint[];
}

export interface Profile {
  name: string;
  version: number;
  document: string;
  digest: string;
  comment: string;
  builtin: boolean;
  archived: boolean;
  created_at: string | null;
  created_by: string | null;
  etag: string;
}

export interface ProfileDiff {
  changes: { path: string; from: unknown; to: unknown }[];
}

export interface PlanDevice {
  guid: string;
  port: number;
  name: string;
  attributes: string[];
  mads: number;
}

export interface Plan {
  digest: string;
  devices: PlanDevice[];
  totals: { devices: number; mads: number; unknown: number };
  current: ActiveProfile | null;
  wanted: ActiveProfile;
  warnings: string[];
}

export interface Promotion {
  id: string;
  fabric: string;
  profile: string;
  version: number;
  plan_digest: string;
  plan: { totals?: { devices: number; mads: number } };
  comment: string;
  state: "pending" | "rejected" | "running" | "done" | "failed";
  needs: string | null;
  created_at: string;
  created_by: string;
  decided_by: string | null;
  decided_at: string | null;
  decision_comment: string;
  job: string | null;
  problem: string | null;
}

export interface Workload {
  name: string;
  builtin?: boolean;
  document?: string;
}

export interface CampaignTemplate {
  name: string;
  title?: string;
  description: string;
  spec?: Record<string, unknown>;
}

export type CampaignState = "draft" | "queued" | "running" | "pausing" | "paused" | "finished" | "failed" | "stopped";

export interface Campaign {
  id: string;
  name: string;
  fabric: string;
  state: CampaignState;
  spec: Record<string, unknown>;
  trials_done: number;
  trials_total: number;
  best: Record<string, unknown> | null;
  problem?: string | null;
  created_at: string;
  created_by: string;
  started_at: string | null;
  ended_at: string | null;
  job: string | null;
  etag?: string;
}

export interface Trial {
  number: number;
  state: string;
  params: Record<string, number | string | boolean>;
  values: Record<string, number | null>;
  feasible: boolean | null;
  violations?: string[];
  duration_s?: number | null;
  started_at?: string | null;
  ended_at?: string | null;
}

export interface FlowSeries {
  name: string;
  src: string;
  dst: string;
  role: string;
  mean_gbps: number;
  series: { t_s: number; gbps: number }[];
}

export interface TrialDetail extends Trial {
  measurements?: { workload: string; seed: number; flows: FlowSeries[]; metrics: Record<string, number | null> }[];
  profile_yaml?: string;
}

export interface Objective {
  name: string;
  title?: string;
  unit: string;
  direction: "maximize" | "minimize";
}

export interface Front {
  objectives: Objective[];
  points: { number: number; values: Record<string, number>; on_front: boolean; feasible: boolean }[];
  reference?: Record<string, Record<string, number>>;
}

export interface Hypervolume {
  points: { trial: number; hypervolume: number }[];
}

export interface Importance {
  shares: Record<string, Record<string, number>>;
  caution?: string | null;
}

export interface Job {
  id: string;
  kind: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  fabric: string | null;
  progress: { done: number; total: number | null; text: string };
  result: Record<string, unknown> | null;
  problem: string | null;
  created_at: string;
  created_by: string;
  started_at: string | null;
  ended_at: string | null;
  attempts: number;
  cancel_requested: boolean;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  via: string;
  action: string;
  object: string;
  fabric: string | null;
  address: string | null;
  detail: Record<string, unknown> | null;
}
