/**
 * Indexes words for search after the review, outside its transaction: many offers together, because the index costs most per transaction.
 * Words that a killed process left are indexed at the next start.
 */
import type { OfferReviewStore } from '../store/port/review.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export interface IndexingWords {
  /** Call it when there may be words to index. */
  wake(): void;
  close(): Promise<void>;
}

/** How long words wait for those of other offers. An offer must be found within 2 seconds. */
const PAUSE_MS = 250;

export function indexWords(
  store: Pick<OfferReviewStore, 'indexWords'>,
  telemetry: Pick<Telemetry, 'observe'>,
): IndexingWords {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isRunning = false;
  let isClosed = false;

  function wake(): void {
    if (!isClosed) timer ??= setTimeout(start, PAUSE_MS);
  }

  function start(): void {
    timer = undefined;
    if (isRunning) wake();
    else running = run().catch((error: unknown) => telemetry.observe('work_stalled', { kind: 'word-index', error }));
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (!isClosed && (await store.indexWords()) === 'more');
    } finally {
      isRunning = false;
    }
  }

  wake();
  return {
    wake,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
