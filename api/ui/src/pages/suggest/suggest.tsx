// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A profile for a fabric without any trial: asked by workload or by the number of contributors, and by what is known of the devices. */

import { MultiSelect, NumberInput, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useFabrics } from "@/api/queries/fabrics";
import { useSuggestion } from "@/api/queries/suggestions";
import { useWorkloads } from "@/api/queries/workloads";
import { type Address, useAddress, useTyped } from "@/components/address";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { FabricCapacity } from "@/pages/fabric/low_capacity";
import { Subnet } from "@/pages/fabric/subnet";
import { bodyOf, type Question, settingsOf } from "@/pages/suggest/question";
import { SuggestionQuery } from "@/pages/suggest/suggestion_query";
import { SuggestionView } from "@/pages/suggest/suggestion_view";

const SETTLED_MS = 250;
/** Devices as the settings have them: no kind that could be chosen. */
const GIVEN = "given";

export default function SuggestProfile() {
  const fabrics = useFabrics();
  const address = useAddress();
  const fabric = address.get("fabric") || (fabrics.items?.[0]?.name ?? "");
  const model = useTyped(address, "model");
  const question: Question = {
    workload: address.get("workload"),
    subnet: address.get("subnet"),
    least: address.get("least"),
    most: address.get("most"),
    devices: address.get("devices").split(",").filter(Boolean),
    model: model.settled,
  };
  const [settled] = useDebouncedValue(JSON.stringify(bodyOf(question)), SETTLED_MS);
  const suggestion = useSuggestion(fabric, JSON.parse(settled));
  return (
    <div className="stack">
      <PageHead title="Suggest a profile" crumbs={[{ to: "/profiles", text: "Profiles" }]} />
      <p className="soft prose">
        A profile by the rule of balance and room, without any trial. A campaign that starts from it finds what is better still.
      </p>
      <QueryView query={{ ...fabrics, data: fabrics.items }}>
        {(known) => (
          <Form
            names={known.map(({ name }) => name)}
            kinds={suggestion.data?.devices.map(({ device }) => device).filter((name) => name !== GIVEN) ?? question.devices}
            fabric={fabric}
            question={question}
            address={address}
          >
            <TextInput
              className="grow"
              label="Known of the devices"
              placeholder="ca.cnp_spacing_ns=1600, ca.becn_carrier=cnp"
              error={settingsOf(model.value) === null ? "Write name=value, with commas between them." : undefined}
              value={model.value}
              onChange={(event) => model.type(event.currentTarget.value)}
            />
          </Form>
        )}
      </QueryView>
      {fabric && <FabricCapacity fabric={fabric} />}
      {fabric && (
        <SuggestionQuery query={suggestion}>
          {(found) => <SuggestionView key={fabric + settled} fabric={fabric} suggestion={found} />}
        </SuggestionQuery>
      )}
    </div>
  );
}

interface FormProps {
  names: string[];
  /** Kinds of devices that the service knows. */
  kinds: string[];
  fabric: string;
  question: Question;
  address: Address;
  children: React.ReactNode;
}

function Form({ names, kinds, fabric, question, address, children }: FormProps) {
  const workloads = useWorkloads().items ?? [];
  const usable = workloads.filter((one) => one.belongs_to === null || one.belongs_to === fabric);
  const set = (key: string, value: string | number | null) => address.set({ [key]: value === null ? null : String(value) });
  return (
    <div className="panel stack">
      <div className="row bottom">
        <Select
          className="grow"
          label="Fabric"
          data={names}
          value={fabric}
          onChange={(name) => address.set({ fabric: name, subnet: null })}
        />
        <Select
          className="grow"
          label="Workload"
          placeholder="Not known"
          clearable
          searchable
          data={usable.map(({ name }) => name)}
          value={question.workload || null}
          onChange={(name) => set("workload", name)}
        />
        <Contributors
          label="Contributors, at most"
          placeholder="As the workload has"
          value={question.most}
          onChange={(value) => set("most", value)}
        />
        <Contributors
          label="At least"
          placeholder="As many"
          disabled={!question.most}
          value={question.least}
          onChange={(value) => set("least", value)}
        />
      </div>
      <Subnet
        fabric={fabric}
        reason="each takes a profile of its own"
        subnet={question.subnet ? Number(question.subnet) : null}
        onSubnet={(subnet) => set("subnet", subnet)}
      />
      <div className="row bottom">
        <MultiSelect
          className="grow"
          label="Kinds of devices"
          placeholder={question.devices.length > 0 ? undefined : "All, unless more is known"}
          clearable
          data={kinds}
          value={question.devices}
          onChange={(devices) => set("devices", devices.join(",") || null)}
        />
        {children}
      </div>
    </div>
  );
}

interface ContributorsProps {
  label: string;
  placeholder: string;
  disabled?: boolean;
  value: string;
  onChange: (value: string | number) => void;
}

function Contributors(props: ContributorsProps) {
  return <NumberInput className="grow" min={2} allowDecimal={false} clampBehavior="none" {...props} />;
}
