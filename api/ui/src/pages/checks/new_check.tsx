// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A new check: from one that comes with ibcc, or from a text of one's own. */

import "@/pages/checks/checks.css";
import "@/pages/campaigns/campaigns.css";
import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useCheckTemplates, useCreateCheck } from "@/api/queries/checks";
import { useFabrics } from "@/api/queries/fabrics";
import type { CheckTemplate } from "@/api/types";
import { useLeaveGuard } from "@/components/leave_guard";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { withoutPlace } from "@/pages/checks/check_document";
import { DocumentEditor } from "@/pages/checks/document_editor";
import { newSchedule } from "@/pages/checks/schedule";
import { ScheduleFields } from "@/pages/checks/schedule_fields";

export default function NewCheck() {
  const templates = useCheckTemplates();
  return (
    <div className="stack">
      <PageHead title="New check" crumbs={[{ to: "/checks", text: "Checks" }]} />
      <QueryView query={templates} rows={8}>
        {(known) => <Form templates={known} />}
      </QueryView>
    </div>
  );
}

/** Names of checks, as the service has them. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

function Form({ templates }: { templates: CheckTemplate[] }) {
  const fabrics = useFabrics().items ?? [];
  const [template, setTemplate] = useState(templates.find(({ name }) => name === "quick") ?? templates[0]);
  const original = withoutPlace(template?.document ?? "");
  const [text, setText] = useState(original);
  const [name, setName] = useState("");
  const [fabric, setFabric] = useState<string | null>(null);
  const [schedule, setSchedule] = useState(newSchedule);
  const create = useCreateCheck();
  const navigate = useNavigate();
  const place = fabric ?? fabrics[0]?.name ?? null;
  const chosenName = name || (template?.name ?? "");
  useLeaveGuard(text !== original && !create.isSuccess);
  const choose = (one: CheckTemplate) => {
    setTemplate(one);
    setText(withoutPlace(one.document));
    create.reset();
  };
  const submit = () =>
    place !== null &&
    create.mutate(
      { name: chosenName, fabric: place, document: text, schedule },
      { onSuccess: (check) => navigate(`/checks/${encodeURIComponent(check.name)}`) },
    );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <fieldset className="choices">
        <legend className="hidden-text">Begin with</legend>
        {templates.map((one) => (
          <label key={one.name} className="choice">
            <input type="radio" name="template" checked={template?.name === one.name} onChange={() => choose(one)} />
            <span>
              <strong>{one.name}</strong>
              <span className="small soft">{one.description}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="row bottom">
        <TextInput
          className="grow"
          label="Name of the check"
          placeholder={template?.name}
          maxLength={64}
          error={NAME.test(chosenName) ? undefined : "Small letters, digits, dots, dashes and underscores."}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          className="grow"
          label="Fabric"
          data={fabrics.map((one) => ({ value: one.name, label: `${one.name} (${one.kind})` }))}
          value={place}
          onChange={setFabric}
        />
      </div>
      <div className="stack">
        <DocumentEditor
          text={text}
          fabric={place ?? ""}
          name={NAME.test(chosenName) ? chosenName : undefined}
          onChange={setText}
          error={create.error}
        />
        <p className="small soft">
          Entries under “kinds” are observed one after the other. Profiles and workloads are named as they are in the service; the
          name and the fabric are those above.
        </p>
      </div>
      <section className="panel stack" aria-labelledby="schedule">
        <h2 id="schedule">Schedule</h2>
        <ScheduleFields schedule={schedule} onChange={setSchedule} />
      </section>
      <div className="row">
        <Button
          type="submit"
          loading={create.isPending}
          disabled={place === null || !NAME.test(chosenName) || schedule.days.length === 0}
        >
          Create {chosenName}
        </Button>
      </div>
    </form>
  );
}
