/**
 * GET /rule-changes, POST /rule-changes/{change_id}/undo: the latest changes to the review's rules; GET /announced-changes,
 * PUT /announced-changes/{change_id}/date, POST /announced-changes/{change_id}/cancel and /restore: changes with a date; for operators.
 */
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import {
  announceAgain,
  cancelAnnouncedChange,
  listAnnouncedChanges,
  moveAnnouncedChange,
} from '../../operations/review/announced-changes.ts';
import { listRuleChanges, undoRuleChange } from '../../operations/review/undo-change.ts';
import type { AnnouncedChange, KeyOfRule, RuleChange } from '../../store/port/settings.ts';
import { changedAnswer, foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { readQuery } from '../query.ts';
import type { Services } from '../services.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { categoryJson } from './operator-policies.ts';
import { CHANGE, ENFORCED_FROM, enforcedFromIn, impactJson, NoImpact, ruleChangeAnswer } from './rule-change-call.ts';

const BY = Type.String({
  description: "Email address of the operator, `key` and an API key's user name, or `command line`.",
});

const ChangesAnswer = Type.Object({
  changes: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Id of the change.' }),
      at: Time('Time of the change.'),
      by: BY,
      act: Type.String({ description: 'Id of the call that made it.' }),
      subject: Type.String({ description: 'What was changed.' }),
      impact: NoImpact,
      undone: OrNull(Time('When it was undone.'), 'Null if it was not undone.'),
      undo_until: Time('Until when it can be undone.'),
    }),
    { description: 'Newest first.' },
  ),
  offers_left: Count('Offers that are not re-reviewed yet. 0: all changes are applied.'),
});

const AnnouncedAnswer = Type.Object(
  {
    id: Type.Integer({ description: 'Id of the change.' }),
    announced: Time('When it was announced.'),
    by: BY,
    act: Type.String({ description: 'Id of the call that announced it.' }),
    subject: Type.String({ description: 'What changes.' }),
    enforced_from: Time('When it applies.'),
    state: OneOf(['announced', 'applied', 'cancelled'], {
      description: '`cancelled`: by an operator, or because the same change was announced again.',
    }),
    settled: OrNull(Time('When it was applied or cancelled.'), 'Null while it is announced.'),
    restorable: Type.Boolean({ description: 'Whether it was cancelled and can be announced again.' }),
    settled_by: OrNull(Type.String(), 'Who cancelled it; null if it was not cancelled.'),
    impact: NoImpact,
    failing: Type.Array(
      Type.Object({ at: Time('When they were counted.'), offers: Count('Live offers that would fail.') }),
      {
        description: 'Counts from an hour after the announcement, once a day, oldest first.',
      },
    ),
  },
  { title: 'AnnouncedChange' },
);

const NOT_ANNOUNCED = { problems: [requestProblem('change_unknown', 'No announced change with this id.')] };
const DIGITS = /^\d{1,15}$/;

const shared = { access: 'person', roles: ['operator'], tag: 'Policies' } as const;

export const operatorChangesEndpoints = endpointsOf(shared, {
  'GET /rule-changes': {
    id: 'listRuleChanges',
    summary: 'List the latest changes to policies, placeholders, taxonomy and catalog, newest first',
    description: `All changes that can be undone: those of the last ${LIMITS.rule_change_undo_days} days, at most the newest ${LIMITS.rule_changes_max}.`,
    answer: ChangesAnswer,
    unhurried: true,
    async handle({ services }) {
      return foundAnswer(await listRuleChanges(services.ruleChanges), ({ changes, offersLeft }) => {
        const answer: Static<typeof ChangesAnswer> = {
          changes: changes.map(({ changeId, atMs, by, act, impact, undoneMs, undoUntilMs, ...rule }) => ({
            id: changeId,
            at: isoTime(atMs),
            by,
            act,
            subject: subjectText(rule, services),
            impact: impact && impactJson(impact),
            undone: isoTimeOrNull(undoneMs),
            undo_until: isoTime(undoUntilMs),
          })),
          offers_left: offersLeft,
        };
        return JSON.stringify(answer);
      });
    },
  },
  'POST /rule-changes/{change_id}/undo': {
    id: 'undoRuleChange',
    summary: 'Undo a change: restore what it replaced',
    description: 'The undo is a change itself. Its offers are re-reviewed.',
    ...CHANGE,
    answer: Type.Object({ subject: Type.String({ description: 'What was restored.' }), impact: NoImpact }),
    failures: [404],
    act: (_call, { json = '{}' }) => ({ subject: JSON.parse(json).subject, detail: '' }),
    handle(call) {
      const { services, targetId: changeId } = call;
      if (!DIGITS.test(changeId)) return { problems: [requestProblem('change_unknown', 'No such change.')] };
      return ruleChangeAnswer(
        call,
        (gate) => undoRuleChange(services.ruleChanges, Number(changeId), gate),
        ({ subject }) => ({ subject }),
      );
    },
  },
  'GET /announced-changes': {
    id: 'listAnnouncedChanges',
    summary: 'List the rule changes that apply at a date, next first',
    description: `Then those that were applied or cancelled in the last ${LIMITS.announced_change_retention_days} days, newest first.`,
    answer: Type.Object({ changes: Type.Array(AnnouncedAnswer, { description: 'Next first.' }) }),
    async handle({ services }) {
      const listed = await listAnnouncedChanges(services.ruleChanges);
      return foundAnswer(listed, (changes) => JSON.stringify({ changes: changes.map(announcedJson) }));
    },
  },
  'PUT /announced-changes/{change_id}/date': {
    id: 'moveAnnouncedChange',
    summary: 'Postpone an announced change, or bring it forward',
    description: 'Until the new date, nothing changes.',
    query: { enforced_from: { ...ENFORCED_FROM, required: true } },
    answer: AnnouncedAnswer,
    failures: [404],
    act: (_call, { json = '{}' }) => ({ subject: JSON.parse(json).subject, detail: '' }),
    async handle(call) {
      const { services, targetId, query } = call;
      if (!DIGITS.test(targetId)) return NOT_ANNOUNCED;
      const asked = readQuery(query, (reading) => {
        const date = enforcedFromIn(reading, call);
        if (date === undefined && reading.problems.length === 0) reading.refuse('enforced_from: is required.');
        return { date };
      });
      if ('problems' in asked) return asked;
      const moved = await moveAnnouncedChange(services.ruleChanges, Number(targetId), asked.date ?? 0);
      return changedAnswer(services, moved, announcedJson);
    },
  },
  'POST /announced-changes/{change_id}/cancel': {
    id: 'cancelAnnouncedChange',
    summary: 'Cancel an announced change',
    description: 'The rules stay as they are.',
    answer: AnnouncedAnswer,
    failures: [404],
    act: (_call, { json = '{}' }) => ({ subject: JSON.parse(json).subject, detail: '' }),
    async handle({ services, targetId, person }) {
      if (!DIGITS.test(targetId)) return NOT_ANNOUNCED;
      const cancelled = await cancelAnnouncedChange(services.ruleChanges, Number(targetId), person.email);
      return changedAnswer(services, cancelled, announcedJson);
    },
  },
  'POST /announced-changes/{change_id}/restore': {
    id: 'restoreAnnouncedChange',
    summary: 'Announce a cancelled change again, with its date',
    description: 'Possible until an hour before the date, unless the same change was announced since.',
    answer: AnnouncedAnswer,
    failures: [404],
    act: (_call, { json = '{}' }) => ({ subject: JSON.parse(json).subject, detail: '' }),
    async handle({ services, targetId }) {
      if (!DIGITS.test(targetId)) return NOT_ANNOUNCED;
      return changedAnswer(services, await announceAgain(services.ruleChanges, Number(targetId)), announcedJson);
    },
  },
});

function announcedJson(change: AnnouncedChange): Static<typeof AnnouncedAnswer> {
  const { announcedId: id, atMs, by, act, subject, enforcedFromMs, state, settledMs, settledBy, impact } = change;
  return {
    id,
    announced: isoTime(atMs),
    by,
    act,
    subject,
    enforced_from: isoTime(enforcedFromMs),
    state,
    settled: isoTimeOrNull(settledMs),
    settled_by: settledBy,
    restorable: change.isRestorable,
    failing: change.failing.map(([countedMs, offers]) => ({ at: isoTime(countedMs), offers })),
    impact: impact && impactJson(impact),
  };
}

/** Adds the path of the category to its id, if the current taxonomy has the category. */
function subjectText(
  { subject, key: [kind, id = ''] }: Pick<RuleChange, 'subject'> & KeyOfRule,
  services: Services,
): string {
  const category = kind === 'excluded_category' ? readId(id) : undefined;
  const path = category === undefined ? null : categoryJson(category, services).path;
  return path === null ? subject : subject.replace(id, () => `${path} (${id})`);
}
