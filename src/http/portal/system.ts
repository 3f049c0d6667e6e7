/** GET /system: the health of the system, for operators. */
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { readSystem, STORE_NAMES, type SystemState } from '../../operations/portal/read-system.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { PersonEndpoint } from '../endpoint.ts';
import { Count, Time } from './answer-schemas.ts';
import { TaxonomyHeadAnswer, taxonomyHeadJson } from './taxonomy-head.ts';

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
    due: Count('Offers due for review; at most 100,000 are counted per account.'),
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

export const systemEndpoint: PersonEndpoint = {
  id: 'getSystem',
  method: 'GET',
  path: '/system',
  access: 'person',
  roles: ['operator'],
  tag: 'System',
  summary: 'Read the backlogs and the health checks of the system',
  answer: SystemAnswer,
  // The call counts each account with due offers separately, which takes time.
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

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
