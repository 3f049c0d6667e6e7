/** GET /system: the health of the system, for operators. */
import Type, { type Static } from 'typebox';
import { OneOf } from '../../domain/check/schema.ts';
import { readSystem, STORE_NAMES, type SystemState } from '../../operations/portal/read-system.ts';
import { foundAnswer } from '../answers/answers.ts';
import { isoTime } from '../answers/iso-time.ts';
import type { PersonEndpoint } from '../endpoint.ts';
import { Count, Time } from './answer-schemas.ts';
import { TaxonomyHeadAnswer, taxonomyHeadJson } from './taxonomy-head.ts';

const Seconds = (description: string) => Count(`${description} 0 when none does.`);

const Queue = Type.Object({
  waiting: Count('Calls that were taken and not answered yet.'),
  oldest_wait_seconds: Seconds('How long the oldest waits.'),
});

const SystemAnswer = Type.Object({
  version: Type.String(),
  since: Time('When the process that answers was started.'),
  store: Type.Object({
    kind: OneOf(STORE_NAMES),
    size_bytes: Count('On disk.'),
    writes: Queue,
    lists: Queue,
  }),
  review: Type.Object({
    due: Count('Offers that are to be reviewed; of a very large account not more than 100,000 may be counted.'),
    oldest_due_seconds: Seconds('How long the oldest is due.'),
    accounts_missing: Count(
      'Accounts with due offers that are not counted because their database node does not answer.',
    ),
  }),
  images: Type.Object({
    waiting: Count('Images that are to be fetched.'),
    oldest_wait_seconds: Seconds('How long the oldest waits.'),
  }),
  work: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'Of background work.' }),
      due: Count("Accounts whose work is due and in nobody's hands."),
      oldest_due_seconds: Seconds('How long the oldest is due.'),
    }),
  ),
  files: Type.Object({
    under_way: Count('Uploads that the process which answers is taking in.'),
    free_bytes: Count('Room that is left where files lie.'),
  }),
  taxonomy: TaxonomyHeadAnswer,
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Type.Boolean(),
      detail: Type.String({ description: 'One sentence; where it is not well, also what to do.' }),
    }),
  ),
});

export const systemEndpoint: PersonEndpoint = {
  id: 'getSystem',
  method: 'GET',
  path: '/system',
  access: 'person',
  roles: ['operator'],
  tag: 'System',
  summary: 'Read what waits where, and whether something needs a person',
  answer: SystemAnswer,
  // Counts each account with due offers separately.
  unhurried: true,
  async handle({ services }) {
    const { uploads } = services.files;
    return foundAnswer(await readSystem(services.system), (state) =>
      JSON.stringify(systemJson(state, uploads.underWay)),
    );
  },
};

function systemJson(state: SystemState, uploads: number): Static<typeof SystemAnswer> {
  const { store, review, images } = state;
  return {
    version: state.version,
    since: isoTime(state.startedMs),
    store: {
      kind: store.kind,
      size_bytes: store.sizeBytes,
      writes: { waiting: store.writes.waiting, oldest_wait_seconds: seconds(store.writes.oldestWaitMs) },
      lists: { waiting: store.lists.waiting, oldest_wait_seconds: seconds(store.lists.oldestWaitMs) },
    },
    review: {
      due: review.due,
      oldest_due_seconds: seconds(review.oldestDue_ms),
      accounts_missing: review.accountsMissing,
    },
    images: { waiting: images.waiting, oldest_wait_seconds: seconds(images.oldestWait_ms) },
    work: state.work.map(({ kind, due, oldestDue_ms }) => ({ kind, due, oldest_due_seconds: seconds(oldestDue_ms) })),
    files: { under_way: uploads, free_bytes: state.freeBytes },
    taxonomy: taxonomyHeadJson(state.taxonomy),
    checks: state.checks.map(({ name, ok, detail }) => ({ name, ok, detail })),
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
