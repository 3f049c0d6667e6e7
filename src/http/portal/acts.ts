/** GET /acts: the activity log of operators, from the portal and the command line, and of merchants' webhooks. */
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { LIST_LIMIT, PAGE_QUERY } from '../answers/list-page.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { QueryReading } from '../query.ts';
import { OrNull, Time } from './answer-schemas.ts';

const AFTER = { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: Number.MAX_SAFE_INTEGER };

const ActsAnswer = Type.Object({
  acts: Type.Array(
    Type.Object({
      at: Time('Time of the action.'),
      by: Type.String({
        description: "Who acted: an email address, `key` and the API key's user name, `command line`, or `system`.",
      }),
      act: Type.String({ description: 'Id of the call, or the command.' }),
      subject: Type.String({ description: 'Target of the action.' }),
      detail: Type.String(),
    }),
  ),
  next: OrNull(Type.String(), 'Value for `after`; null on the last page.'),
});

export const actsEndpoint: PersonEndpoint = {
  id: 'listActs',
  method: 'GET',
  path: '/acts',
  access: 'person',
  roles: ['operator'],
  tag: 'System',
  summary: 'List the activity log of operators, newest first',
  description: `Entries are kept for ${LIMITS.act_retention_days} days.`,
  query: {
    after: { description: 'The `next` of the previous page.', schema: Type.String() },
    limit: PAGE_QUERY.limit,
  },
  answer: ActsAnswer,
  failures: [400],
  handle: listAnswer,
};

async function listAnswer({ services, query }: PersonCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const after = reading.wholeNumber('after', AFTER);
  const limit = reading.wholeNumber('limit', LIST_LIMIT);
  if (reading.problems.length > 0) return { problems: reading.problems };
  const acts = await services.portal.people.listActs(after, limit + 1);
  const shown = acts.slice(0, limit);
  const answer: Static<typeof ActsAnswer> = {
    acts: shown.map(({ atMs, by, act, subject, detail }) => ({ at: isoTime(atMs), by, act, subject, detail })),
    next: acts.length > shown.length ? String(shown.at(-1)?.actId) : null,
  };
  return { status: 200, json: JSON.stringify(answer) };
}
