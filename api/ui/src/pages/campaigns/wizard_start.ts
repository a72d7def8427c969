// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the wizard of campaigns begins with. */

import type { Campaign, CampaignTemplate } from "@/api/types";
import { NEW_CAMPAIGN, textOf, unnamed } from "@/pages/campaigns/spec_text";

export interface Start {
  /** Name of the chosen template, or OWN. */
  choice: string;
  text: string;
  /** The choice OWN, and the document behind it. */
  own: { title: string; description: string; text: string };
  name: string;
  /** The name that is proposed. */
  proposed: string;
  /** Null: the first one. */
  fabric: string | null;
  onSimulator: boolean;
  /** Values that the document does not hold, by dotted path, such as `model.ca.becn_carrier`. */
  settings: Record<string, unknown>;
}

/** The choice of a document of one's own among the templates; no template has such a name. */
export const OWN = "/own";

/** Characters in a campaign's name, as the service has it. */
export const LONGEST_NAME = 64;

const IN_THE_STEP = "in the step “What to search”.";
const A_DOCUMENT = { title: "A document of your own", description: `Written or pasted ${IN_THE_STEP}`, text: NEW_CAMPAIGN };
const EMPTY = { own: A_DOCUMENT, name: "", fabric: null, onSimulator: true, settings: {} };

export function ownDocument(): Start {
  return { ...EMPTY, choice: OWN, text: NEW_CAMPAIGN, proposed: "campaign" };
}

export function fromTemplate(template: CampaignTemplate): Start {
  return { ...EMPTY, choice: template.name, text: unnamed(template.document), proposed: template.name };
}

/** A campaign as the service has it. */
export function asStored({ name, fabric, spec, settings }: Campaign): Start {
  // The service writes these two itself.
  const text = textOf({ ...spec, name: undefined, backend: undefined });
  return {
    choice: OWN,
    text,
    own: { title: `The document of ${name}`, description: `As it is. Change it ${IN_THE_STEP}`, text },
    name,
    proposed: `${name.slice(0, LONGEST_NAME - 5)} copy`,
    fabric,
    onSimulator: spec.backend === "simulated",
    settings: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`model.${key}`, value])),
  };
}
