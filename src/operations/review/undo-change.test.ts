/** Tests the progress of a re-review with an in-memory store. Undoing a change is tested in test/portal/rule-changes.test.ts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CatalogNews } from '../../store/port/catalog.ts';
import { listRuleChanges, type RuleChanges } from './undo-change.ts';

const NEWS: CatalogNews = { environment: 'live', code: 'asin:B000000007', number: 1, markedUpTo: null };
const SWEEP = { accountId: 7, filter: null };

/** An offer waits in `from`, and becomes due just before the given read. */
function storeWhere(from: 'news' | 'sweep', dueBefore: number): RuleChanges['store'] {
  let reads = 0;
  const read = async <T>(now: (isDue: boolean) => T): Promise<T> => now(++reads >= dueBefore);
  return {
    policies: { listRuleChanges: async () => [] },
    catalog: {
      readCatalogNews: () => read((isDue) => (from === 'news' && !isDue ? [NEWS] : [])),
      countCatalogUsers: () => read(() => 1),
    },
    offerList: { readOfferCounts: () => read(() => ({ byStatus: new Map([['available', 1]]) })) },
    review: {
      listSweeps: () => read((isDue) => (from === 'sweep' && !isDue ? [SWEEP] : [])),
      readReviewFigures: () => read((isDue) => ({ due: isDue ? 1 : 0 })),
    },
  } as unknown as RuleChanges['store'];
}

describe('undo-change', () => {
  for (const from of ['news', 'sweep'] as const) {
    it(`an offer that becomes due while the ${from} is read is counted`, async () => {
      for (let dueBefore = 1; dueBefore <= 6; dueBefore++) {
        const listed = await listRuleChanges({ store: storeWhere(from, dueBefore), nowMs: () => 0 });
        assert.ok(listed.ok && listed.value.offersLeft >= 1, `due before read ${dueBefore}`);
      }
    });
  }
});
