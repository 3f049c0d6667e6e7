/**
 * In charge of the part of the store that people look at in the portal: the list of offers and its counts, and the counts of
 * requests. Reads are of the reader thread, in several steps for a page, so that others have their turn in between.
 */

import type { AccountMinute, KeyUse, MinuteCounts, RequestCountStore } from '../port/traffic.ts';
import { SqliteFileStore } from './file-store.ts';

export class SqliteWatchedStore extends SqliteFileStore implements RequestCountStore {
  addRequestCounts(counts: readonly AccountMinute[]): Promise<void> {
    return this.writer.call('addRequestCounts', [counts], 0);
  }

  readRequestCounts(accountId: number, fromMinute: number): Promise<readonly MinuteCounts[]> {
    return this.scanner.call('readRequestCounts', [accountId, fromMinute], 0);
  }

  readMinute(minute: number): Promise<readonly AccountMinute[]> {
    return this.scanner.call('readMinute', [minute], 0);
  }

  dropRequestCounts(beforeMinute: number): Promise<boolean> {
    return this.writer.callBehind('dropRequestCounts', [beforeMinute], 0);
  }

  noteKeyUses(uses: readonly KeyUse[]): Promise<void> {
    return this.writer.call('noteKeyUses', [uses], 0);
  }
}
