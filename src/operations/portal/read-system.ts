/** Use case: an operator reads the health of the system: backlogs, and checks that need attention. */
import { checkHealth } from '../../domain/health.ts';
import type { TaggedTaxonomy } from '../../domain/taxonomy/tree.ts';
import type { WorkFigures } from '../../store/port/work.ts';
import type { Store } from '../../store/port.ts';
import { summaryOf } from '../taxonomy/read-branch.ts';

export interface SystemContext {
  readonly store: Pick<Store, 'images' | 'readFigures' | 'review' | 'taxonomy'>;
  readonly kind: (typeof STORE_NAMES)[number];
  /** Returns the figures for every kind of background work, including idle kinds. */
  readonly readWork: () => Promise<readonly WorkFigures[]>;
  readonly taxonomy: { readonly current: TaggedTaxonomy };
  /** Free space where files are stored. */
  readonly freeBytes: () => Promise<number>;
  readonly freeBytesMin: number;
  readonly version: string;
  /** Start time of the process that serves the request. */
  readonly startedMs: number;
  /** When the certificate expires, if the server has one. */
  readonly certificateEndsMs: number | undefined;
  readonly nowMs: () => number;
}

export const STORE_NAMES = Object.freeze(['sqlite', 'postgresql'] as const);

export type SystemState = Awaited<ReturnType<typeof readSystem>>;

/** `http/portal/system.ts` describes the values. */
export async function readSystem(context: SystemContext) {
  const { store, kind, version, startedMs, freeBytesMin, certificateEndsMs } = context;
  const [figures, review, images, work, freeBytes, head] = await Promise.all([
    store.readFigures(),
    store.review.readReviewFigures(),
    store.images.readImageFigures(),
    context.readWork(),
    context.freeBytes(),
    store.taxonomy.readTaxonomyHead(),
  ]);
  const checks = checkHealth({
    store: {
      waiting: figures.writes.waiting + figures.lists.waiting,
      oldest_ms: Math.max(figures.writes.oldestWait_ms, figures.lists.oldestWait_ms),
    },
    review: { waiting: review.due, oldest_ms: review.oldestDue_ms },
    accountsMissing: review.accountsMissing,
    images: { waiting: images.waiting - images.retrying, oldest_ms: images.oldestWait_ms },
    work: {
      waiting: work.reduce((sum, { due }) => sum + due, 0),
      oldest_ms: Math.max(0, ...work.map(({ oldestDue_ms }) => oldestDue_ms)),
    },
    freeBytes,
    freeBytesMin,
    certificateLeft_ms: certificateEndsMs === undefined ? undefined : certificateEndsMs - context.nowMs(),
  });
  const taxonomy = summaryOf(context.taxonomy.current, head);
  return { version, startedMs, store: { kind, ...figures }, review, images, work, freeBytes, taxonomy, checks };
}
