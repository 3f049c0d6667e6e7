/** GET /acts: what operators did, in the portal and on the command line. */
import Type, { type Static } from 'typebox';
import { Whole } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { isoTime } from '../iso-time.ts';
import { wholeNumberParameter } from '../query.ts';
import { OrNull, Time } from './answer-schemas.ts';

const AFTER = { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: Number.MAX_SAFE_INTEGER };
const LIMIT = { min: 1, max: LIMITS.list_limit_max, fallback: LIMITS.list_limit_default };

const ActsAnswer = Type.Object({
  acts: Type.Array(
    Type.Object({
      at: Time('When it was done.'),
      by: Type.String({ description: 'E-mail address of the operator, or `command line`.' }),
      act: Type.String({ description: 'Id of the call, or the words of the command.' }),
      subject: Type.String({ description: 'What it was done to.' }),
      detail: Type.String(),
    }),
  ),
  next: OrNull(Type.String(), 'For `after`; null where these are the last.'),
});

export const actsEndpoint: PersonEndpoint = {
  id: 'listActs',
  method: 'GET',
  path: '/acts',
  access: 'person',
  roles: ['operator'],
  tag: 'System',
  summary: 'List what operators did, newest first',
  description: `Acts are kept for ${LIMITS.act_retention_days} days.`,
  query: {
    after: { description: 'The `next` of the page before.', schema: Type.String() },
    limit: { description: `How many to list; ${LIMIT.fallback} when absent.`, schema: Whole(LIMIT.min, LIMIT.max) },
  },
  answer: ActsAnswer,
  failures: [400],
  handle: listAnswer,
};

async function listAnswer({ services, query }: PersonCall): Promise<Answer> {
  const after = wholeNumberParameter(query, 'after', AFTER);
  if ('problem' in after) return { problems: [after.problem] };
  const limit = wholeNumberParameter(query, 'limit', LIMIT);
  if ('problem' in limit) return { problems: [limit.problem] };
  const acts = await services.portal.people.listActs(after.value, limit.value + 1);
  const shown = acts.slice(0, limit.value);
  const answer: Static<typeof ActsAnswer> = {
    acts: shown.map(({ atMs, by, act, subject, detail }) => ({ at: isoTime(atMs), by, act, subject, detail })),
    next: acts.length > shown.length ? String(shown.at(-1)?.actId) : null,
  };
  return { status: 200, json: JSON.stringify(answer) };
}
