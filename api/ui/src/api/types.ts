// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Types of the service's answers, under the names that pages use. `npm run types` makes schema.d.ts from the service's OpenAPI. */

import type { components } from "@/api/schema";

type Schemas = components["schemas"];

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

export type Role = Schemas["Role"];
export type User = Schemas["UserDocument"];
export type UserLink = Schemas["LinkDocument"];
export type Session = Schemas["SessionDocument"];
export type Token = Schemas["TokenDocument"];
export type NewToken = Schemas["NewTokenDocument"];

export type Fabric = Schemas["FabricSummary"];
export type FabricDetail = Schemas["FabricDocumentOut"];
export type ClearForeign = Schemas["ClearForeignOut"];
export type DeviceCounts = Schemas["DeviceCounts"];
export type DialectCounts = Schemas["DialectCounts"];
export type ActiveProfile = Schemas["ProfileRef"];
export type FabricState = Schemas["FabricStateOut"];
export type Adopted = Schemas["AdoptedOut"];
export type Topology = Omit<Schemas["TopologyOut"], "width" | "height">;
/** Nodes and links, with or without what is known of the devices. */
export type Picture = Pick<Schemas["PictureOut"], "levels" | "links" | "incomplete">;
export type TopologyChanges = Schemas["TopologyChanges"];
export type TopologyNode = Schemas["TopologyNode"];
export type Mark = TopologyNode["marks"][number];
export type CongestionSource = Schemas["CongestionSource"];
export type MeasuredCc = NonNullable<CongestionSource["cc"]>;
export type Congestion = Schemas["CongestionOut"];
export type FoundNode = Schemas["FoundNode"];
export type FoundNodes = Schemas["FoundNodes"];
export type FabricPath = Schemas["PathOut"];
export type Hop = Schemas["Hop"];
export type LinkRow = Schemas["LinkRow"];
export type DeviceRow = Schemas["DeviceOut"];
export type DevicePort = Schemas["PortOut"];
export type DeviceAttribute = Schemas["AttributeOut"];
export type DeviceDetail = Schemas["DeviceDetail"];
export type Plan = Schemas["PlanOut"];
export type Watch = Schemas["WatchSummary"];
export type KeptEvent = Schemas["KeptEvent"];
export type Severity = KeptEvent["severity"];

export type FabricImport = Schemas["ImportOut"];
export type ImportSummary = Schemas["ImportSummary"];
export type Reread = Schemas["Reread"];
export type ImportPreview = Schemas["ImportPreview"];
export type RoutingAdvice = Schemas["RoutingAdvice"];
export type Capacity = Schemas["CapacityOut"];
export type FabricRouting = Schemas["FabricRouting"];
export type Difference = Schemas["DifferenceOut"];
export type FabricVersion = Schemas["VersionOut"];
export type PackagedFabric = Schemas["PackagedFabric"];
export type KeepImport = Schemas["Keep"];
export type FabricDiagnosis = Schemas["FabricDiagnosis"];
export type LastDiagnosis = Schemas["LastDiagnosis"];
export type NightDiagnosis = Schemas["NightDiagnosis"];
export type Diagnosis = Schemas["DiagnosisOut"];
export type Twin = Schemas["TwinOut"];

export type Host = Schemas["HostOut"];
export type HostsCheck = Schemas["HostsCheckOut"];
export type Fleet = Schemas["FleetOut"];
export type HostPaths = Schemas["HostPathsOut"];
export type HostPathsRow = Schemas["HostPathsRow"];
export type GroupedFinding = Schemas["GroupedFindingOut"];
export type Inventory = Schemas["InventoryDocument"];

export type Profile = Schemas["ProfileDocument"];
export type ProfileDiff = Schemas["DiffDocument"];
export type ParameterHelp = Schemas["ParameterDocument"];
export type CurvePoint = Schemas["CurvePoint"];
export type Validation = Schemas["Validation"];
export type DocumentProblem = Schemas["DocumentProblem"];
export type DocumentValidation = Schemas["DocumentValidation"];
export type WorkloadValidation = Schemas["WorkloadValidation"];
export type FlowPreview = Schemas["FlowPreview"];

export type Suggestion = Schemas["SuggestionDocument"];
export type DeviceOutlook = Schemas["DeviceOutlookDocument"];
export type SuggestionBody = Schemas["SuggestionBody"];
export type Workload = Schemas["WorkloadDocument"];
export type WorkloadUse = Schemas["WorkloadUse"];

/** The plan as it was confirmed; the service keeps it whole. */
export type Promotion = Omit<Schemas["PromotionDocument"], "plan"> & { plan: Partial<Schemas["PlanOut"]> };
export type PromotionEvidence = Schemas["PromotionEvidence"];
export type TrialRunOutcome = Schemas["TrialRunOutcome"];

export type Campaign = Schemas["CampaignDocument"];
export type CampaignState = Campaign["state"];
export type CampaignAction = Campaign["actions"][number];
export type CampaignTemplate = Schemas["TemplateDocument"];
export type NewCampaign = Partial<Schemas["NewCampaign"]> & Pick<Schemas["NewCampaign"], "name" | "fabric">;
export type CampaignPlan = Schemas["CampaignPlan"];
export type PlannedWorkload = Schemas["PlannedWorkload"];
export type PlannedFlow = Schemas["PlannedFlow"];
export type Cost = Schemas["CostDocument"];
export type RoleCounts = Partial<Schemas["RoleNumbers"]>;
export type ChallengeState = Schemas["ChallengeDocument"];
export type Trial = Schemas["TrialDocument"];
export type TrialDetail = Schemas["TrialDetail"];
export type FlowSeries = Schemas["FlowSeries"];
export type Front = Pick<Schemas["FrontDocument"], "points" | "reference"> & { objectives: Objective[] };
export type Objective = Pick<Schemas["Goal"], "name" | "title" | "unit" | "direction"> & { meaning?: string };
export type Hypervolume = Schemas["HypervolumeDocument"];
export type Importance = Schemas["ImportanceDocument"];

export type Check = Schemas["CheckDocument"];
export type CheckAction = Check["actions"][number];
export type CheckTemplate = Schemas["CheckTemplate"];
export type Verdict = NonNullable<Night["verdict"]>;
export type Schedule = Schemas["ScheduleDocument"];
export type Policy = Schemas["PolicyDocument"];
export type PolicyRule = Schemas["PolicyRule"];
export type Night = Schemas["NightSummary"];
export type NightDetail = Schemas["NightDocument"];
export type CheckFinding = Schemas["FindingDocument"];
export type LikelyCause = Schemas["CauseDocument"];
export type MetricTrend = Schemas["MetricTrend"];
export type Changes = Schemas["ChangesDocument"];
export type Baseline = Schemas["BaselineDocument"];
export type CheckAnswer = Schemas["AnswerDocument"];
export type Alarms = Schemas["AlarmsDocument"];
export type Alarm = Schemas["AlarmDocument"];
export type CheckDecision = Schemas["DecisionDocument"];
export type NewDecision = Schemas["DecisionBody"];

export type NotificationAddress = Schemas["AddressDocument"];
export type Delivery = Schemas["DeliveryDocument"];

export type Job = Schemas["JobDocument"];
export type AuditEntry = Schemas["AuditEntryDocument"];
