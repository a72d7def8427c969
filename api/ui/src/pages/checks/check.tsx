// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One check: its last verdict and likely causes, its nights, trends and settings. Updated live. */

import "@/pages/checks/checks.css";
import { Tabs } from "@mantine/core";
import { Link, useParams } from "react-router";
import { useCheck, useNights } from "@/api/queries/checks";
import type { Check, Night } from "@/api/types";
import { useAddress } from "@/components/address";
import { JobProgress } from "@/components/job_progress";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Ago, At } from "@/components/time";
import { nightText } from "@/format/night";
import { AlarmsPanel } from "@/pages/checks/alarms_panel";
import { AnswersPanel } from "@/pages/checks/answers_panel";
import { BaselinePanel } from "@/pages/checks/baseline_panel";
import { ChangesPanel, NightLink } from "@/pages/checks/changes_panel";
import { CheckMenu } from "@/pages/checks/check_menu";
import { NightCalendar } from "@/pages/checks/night_calendar";
import { PolicyPanel } from "@/pages/checks/policy_panel";
import { RunButton } from "@/pages/checks/run_button";
import { SchedulePanel } from "@/pages/checks/schedule_panel";
import { TrendsPanel } from "@/pages/checks/trends_panel";
import { lookOf, noticeKind } from "@/pages/checks/verdict";
import { VerdictTag } from "@/pages/checks/verdict_tag";

export default function CheckPage() {
  const { name = "" } = useParams();
  const check = useCheck(name);
  const address = useAddress();
  const tab = address.get("tab") || "nights";
  return (
    <div className="stack">
      <PageHead
        title={name}
        crumbs={[{ to: "/checks", text: "Checks" }]}
        beside={check.data?.last && <VerdictTag night={check.data.last} />}
      >
        {check.data?.state === "idle" && <RunButton check={check.data} />}
        {check.data && <CheckMenu check={check.data} />}
      </PageHead>
      <QueryView query={check} rows={12}>
        {(known) => (
          <>
            {known.description && <p className="soft prose">{known.description}</p>}
            <Headline check={known} />
            <Tabs value={tab} onChange={(value) => address.set({ tab: value === "nights" ? null : value })} keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="nights">Nights</Tabs.Tab>
                <Tabs.Tab value="trends">Trends</Tabs.Tab>
                <Tabs.Tab value="settings">Schedule and answers</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="nights" pt="md">
                <Nights check={known} />
              </Tabs.Panel>
              <Tabs.Panel value="trends" pt="md">
                <TrendsPanel check={known} />
              </Tabs.Panel>
              <Tabs.Panel value="settings" pt="md">
                <div className="halves">
                  <SchedulePanel check={known} />
                  <PolicyPanel check={known} />
                </div>
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </QueryView>
    </div>
  );
}

function Headline({ check }: { check: Check }) {
  const { last, job } = check;
  const isAtWork = check.state !== "idle";
  return (
    <section className="stack" aria-label="The last night">
      {isAtWork && job && <JobProgress key={job} id={job} what={`Night of ${check.name}`} />}
      {isAtWork && check.problem && <Notice kind="warn">{check.problem}</Notice>}
      {last && !(isAtWork && last.headline === null) && <LastNight check={check.name} night={last} />}
      <p className="small soft">
        on <Link to={`/fabrics/${encodeURIComponent(check.fabric)}`}>{check.fabric}</Link>
        {check.next_run ? (
          <>
            , next run <Ago at={check.next_run} />: <At at={check.next_run} />
          </>
        ) : (
          <>, not scheduled</>
        )}
      </p>
    </section>
  );
}

function LastNight({ check, night }: { check: string; night: Night }) {
  return (
    <Notice kind={noticeKind(lookOf(night))}>
      <p className="headline">
        <strong>{night.headline ?? lookOf(night).word}</strong>
        <span className="small">
          Night of <NightLink check={check} date={night.date} />
          {night.ended_at && (
            <>
              , ended <Ago at={night.ended_at} />
            </>
          )}
        </span>
      </p>
    </Notice>
  );
}

function Nights({ check }: { check: Check }) {
  const nights = useNights(check.name);
  const more = { hasMore: nights.hasNextPage, onMore: () => void nights.fetchNextPage() };
  if (check.last === null) {
    return (
      <div className="empty">
        <p>This check has not run yet.</p>
        <p>
          {check.next_run ? (
            <>
              Its first night begins <At at={check.next_run} />.
            </>
          ) : (
            "Set a schedule under “Schedule and answers”, so that it runs each night."
          )}{" "}
          {check.actions.includes("run") && "“Run now” runs it at once."}
        </p>
      </div>
    );
  }
  return (
    <div className="stack">
      <AlarmsPanel check={check} />
      <ChangesPanel check={check.name} />
      <AnswersPanel check={check} />
      <section className="panel stack" aria-labelledby="calendar">
        <h2 id="calendar">Nights</h2>
        <QueryView query={{ ...nights, data: nights.items }} rows={8}>
          {(items) => (
            <>
              <NightCalendar check={check.name} nights={items} {...more} />
              <Counts nights={items} />
            </>
          )}
        </QueryView>
      </section>
      <BaselinePanel check={check} nights={nights.items ?? []} {...more} />
    </div>
  );
}

/** "61 nights since 26 Sept 2026: 52 pass, 4 warn, …". */
function Counts({ nights }: { nights: Night[] }) {
  const words = [...Map.groupBy(nights, (night) => lookOf(night).word)].map(([word, those]) => `${those.length} ${word}`);
  const first = nights[nights.length - 1];
  if (!first) return null;
  return (
    <p className="small soft">
      {nights.length} {nights.length === 1 ? "night" : "nights"} since {nightText(first.date)}: {words.join(", ")}
    </p>
  );
}
