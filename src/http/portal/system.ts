/**
 * GET /system: the health of the system; GET /acts: the activity log of operators, from the portal and the command line, and of merchants'
 * webhooks. For operators.
 */
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { hasAtMost, hasForbiddenCharacter } from '../../domain/text/text-rules.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { readSystem, STORE_NAMES, type SystemState } from '../../operations/portal/read-system.ts';
import { endpointsOf } from '../endpoint.ts';
import { LIST_LIMIT, PAGE_QUERY, type QueryReading, readQuery } from '../query.ts';
import { Count, OrNull, seconds, Time } from './answer-schemas.ts';
import { TaxonomyHeadAnswer, taxonomyHeadJson } from './operator-taxonomy.ts';

const Seconds = (description: string) => Count(`${description} 0 if there is none.`);

const Queue = Type.Object({
  waiting: Count('Pending calls.'),
  oldest_wait_seconds: Seconds('How long the oldest pending call has waited.'),
});

const SystemAnswer = Type.Object({
  version: Type.String(),
  since: Time('Start time of the process that served this request.'),
  store: Type.Object({
    kind: OneOf(STORE_NAMES),
    size_bytes: Count('Size on disk.'),
    writes: Queue,
    lists: Queue,
  }),
  review: Type.Object({
    due: Count('Offers due for review; above 100,000 per account, the count may be 1 % low.'),
    oldest_due_seconds: Seconds('How long the oldest of these offers has been due.'),
    accounts_missing: Count('Accounts that are not counted because their database node does not respond.'),
  }),
  images: Type.Object({
    waiting: Count('Images waiting to be fetched.'),
    oldest_wait_seconds: Seconds('How long the oldest image that has not failed yet has waited.'),
    retrying: Count('Waiting images whose download failed and is retried.'),
    oldest_retry_seconds: Seconds('How long the oldest retried image has waited.'),
  }),
  work: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'Kind of background work.' }),
      due: Count('Accounts with due work that no process has taken.'),
      oldest_due_seconds: Seconds('How long the oldest work has been due.'),
    }),
  ),
  files: Type.Object({
    under_way: Count('Uploads in progress in the process that served this request.'),
    free_bytes: Count('Free disk space for files.'),
  }),
  taxonomy: TaxonomyHeadAnswer,
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Type.Boolean(),
      detail: Type.String({ description: 'One sentence; for a problem also what to do.' }),
    }),
  ),
});

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

const shared = { access: 'person', roles: ['operator'], tag: 'System' } as const;

export const systemEndpoints = endpointsOf(shared, {
  'GET /system': {
    id: 'getSystem',
    summary: 'Read the backlogs and the health checks of the system',
    answer: SystemAnswer,
    // The call counts each account with due offers separately, which takes time.
    unhurried: true,
    async handle({ services }) {
      const { uploads } = services.files;
      const state = await readSystem(services.system);
      return { status: 200, json: JSON.stringify(systemJson(state, uploads.underWay)) };
    },
  },
  'GET /acts': {
    id: 'listActs',
    summary: 'List the activity log of operators, newest first',
    description: `Entries are kept for ${LIMITS.act_retention_days} days.`,
    query: {
      q: { description: 'A part of the user, the target or the details.', schema: Type.String() },
      act: { description: 'Id of the call, or the command.', schema: Type.String() },
      after: { description: 'The `next` of the previous page.', schema: Type.String() },
      limit: PAGE_QUERY.limit,
    },
    answer: ActsAnswer,
    async handle({ services, query }) {
      const page = readQuery(query, (reading) => {
        return {
          after: reading.wholeNumber('after', AFTER),
          limit: reading.wholeNumber('limit', LIST_LIMIT),
          filter: { act: actText(reading, 'act'), text: actText(reading, 'q') },
        };
      });
      if ('problems' in page) return page;
      const acts = await services.portal.people.listActs(page.after, page.limit + 1, page.filter);
      const shown = acts.slice(0, page.limit);
      const answer: Static<typeof ActsAnswer> = {
        acts: shown.map(({ atMs, by, act, subject, detail }) => ({ at: isoTime(atMs), by, act, subject, detail })),
        next: acts.length > shown.length ? String(shown.at(-1)?.actId) : null,
      };
      return { status: 200, json: JSON.stringify(answer) };
    },
  },
});

function actText(reading: QueryReading, name: 'act' | 'q'): string {
  const text = reading.text(name) ?? '';
  const max = LIMITS.act_search_characters_max;
  if (!hasAtMost(text, max)) reading.refuse(`${name}: must have at most ${max} characters.`);
  if (hasForbiddenCharacter(text))
    reading.refuse(`${name}: must not contain a NUL character or half of a surrogate pair.`);
  return text;
}

function systemJson(state: SystemState, uploads: number): Static<typeof SystemAnswer> {
  const { store, review, images } = state;
  return {
    version: state.version,
    since: isoTime(state.startedMs),
    store: {
      kind: store.kind,
      size_bytes: store.sizeBytes,
      writes: { waiting: store.writes.waiting, oldest_wait_seconds: seconds(store.writes.oldestWait_ms) },
      lists: { waiting: store.lists.waiting, oldest_wait_seconds: seconds(store.lists.oldestWait_ms) },
    },
    review: {
      due: review.due,
      oldest_due_seconds: seconds(review.oldestDue_ms),
      accounts_missing: review.accountsMissing,
    },
    images: {
      waiting: images.waiting,
      oldest_wait_seconds: seconds(images.oldestWait_ms),
      retrying: images.retrying,
      oldest_retry_seconds: seconds(images.oldestRetry_ms),
    },
    work: state.work.map(({ kind, due, oldestDue_ms }) => ({ kind, due, oldest_due_seconds: seconds(oldestDue_ms) })),
    files: { under_way: uploads, free_bytes: state.freeBytes },
    taxonomy: taxonomyHeadJson(state.taxonomy),
    checks: state.checks.map(({ name, ok, detail }) => ({ name, ok, detail })),
  };
}
