/** GET /rule-changes, POST /rule-changes/{change_id}/undo: the latest changes to the review's rules; for operators. */
import { type Static, Type } from '../../domain/check/type.ts';
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import type { Impact } from '../../operations/review/rule-change.ts';
import { listRuleChanges, undoRuleChange } from '../../operations/review/undo-change.ts';
import type { KeyOfRule, RuleChange } from '../../store/port/settings.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { categoryJson } from './category-json.ts';
import { CHANGE, impactJson, NoImpact, ruleChangeAnswer } from './rule-change-call.ts';

const ChangesAnswer = Type.Object({
  changes: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Time('Time of the change.'),
      by: Type.String({ description: 'Email address of the operator, or `command line`.' }),
      act: Type.String({ description: 'Id of the call that made it.' }),
      subject: Type.String({ description: 'What was changed.' }),
      impact: NoImpact,
      undone: OrNull(Time('When it was undone.'), 'Null if it was not undone.'),
      undo_until: Time('Until when it can be undone.'),
    }),
  ),
  offers_left: Count('Offers that are not re-reviewed yet. 0: all changes are applied.'),
});

const shared = { access: 'person', roles: ['operator'], tag: 'Policies' } as const;

export const operatorChangesEndpoints: readonly PersonEndpoint[] = [
  {
    ...shared,
    id: 'listRuleChanges',
    method: 'GET',
    path: '/rule-changes',
    summary: 'List the latest changes to policies, placeholders, taxonomy and catalog, newest first',
    description: `All changes that can be undone: those of the last ${LIMITS.rule_change_undo_days} days, at most the newest ${LIMITS.rule_changes_max}.`,
    answer: ChangesAnswer,
    unhurried: true,
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'undoRuleChange',
    method: 'POST',
    path: '/rule-changes/{change_id}/undo',
    summary: 'Undo a change: restore what it replaced',
    description: 'The undo is a change itself. Its offers are re-reviewed.',
    ...CHANGE,
    answer: Type.Object({ subject: Type.String({ description: 'What was restored.' }), impact: NoImpact }),
    failures: [400, 404],
    act: ({ value }, { json = '{}' }) => ({ subject: JSON.parse(json).subject, detail: `change ${value}` }),
    handle: undoAnswer,
  },
];

async function listAnswer({ services }: PersonCall): Promise<Answer> {
  return foundAnswer(await listRuleChanges(services.ruleChanges), ({ changes, offersLeft }) => {
    const answer: Static<typeof ChangesAnswer> = {
      changes: changes.map(({ changeId, atMs, by, act, impact, undoneMs, undoUntilMs, ...rule }) => ({
        id: changeId,
        at: isoTime(atMs),
        by,
        act,
        subject: subjectText(rule, services),
        impact: impact === null ? null : impactJson(JSON.parse(impact) as Impact),
        undone: isoTimeOrNull(undoneMs),
        undo_until: isoTime(undoUntilMs),
      })),
      offers_left: offersLeft,
    };
    return JSON.stringify(answer);
  });
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

async function undoAnswer(call: PersonCall): Promise<Answer> {
  const { services, value } = call;
  if (!/^\d{1,15}$/.test(value)) return { problems: [requestProblem('change_unknown', 'No such change.')] };
  return ruleChangeAnswer(
    call,
    (gate) => undoRuleChange(services.ruleChanges, Number(value), gate),
    ({ subject }) => ({ subject }),
  );
}
