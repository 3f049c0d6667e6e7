/** GET /rule-changes, POST /rule-changes/{change_id}/undo: the latest changes to the review's rules; for operators. */
import { type Static, Type } from '../../domain/check/type.ts';
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { listRuleChanges, undoRuleChange } from '../../operations/review/undo-change.ts';
import type { KeyOfRule, RuleChange } from '../../store/port/settings.ts';
import { foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { categoryJson } from './operator-policies.ts';
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
    act: ({ targetId }, { json = '{}' }) => ({ subject: JSON.parse(json).subject, detail: `change ${targetId}` }),
    handle(call) {
      const { services, targetId: changeId } = call;
      if (!/^\d{1,15}$/.test(changeId)) return { problems: [requestProblem('change_unknown', 'No such change.')] };
      return ruleChangeAnswer(
        call,
        (gate) => undoRuleChange(services.ruleChanges, Number(changeId), gate),
        ({ subject }) => ({ subject }),
      );
    },
  },
});

/** Adds the path of the category to its id, if the current taxonomy has the category. */
function subjectText(
  { subject, key: [kind, id = ''] }: Pick<RuleChange, 'subject'> & KeyOfRule,
  services: Services,
): string {
  const category = kind === 'excluded_category' ? readId(id) : undefined;
  const path = category === undefined ? null : categoryJson(category, services).path;
  return path === null ? subject : subject.replace(id, () => `${path} (${id})`);
}
