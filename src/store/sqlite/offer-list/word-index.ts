/**
 * Moves changed words from their queue into the word index, in steps of a few milliseconds that no call waits for.
 *
 * The index writes a segment per transaction, and one more wherever an offer does not follow the one before it. So a step indexes many
 * changes at once, in order of the offers. SQLite would merge segments within these transactions, for as long as it takes; a step
 * merges a few pages instead.
 */
import { accountWord } from '../../shared/offer-list/offer-list-walk.ts';
import type { Connection } from '../engine/connection.ts';

/** Indexing them and merging takes about 10 ms with the commit. */
const STEP_CHANGES = 250;
/** Merged in each step. */
const STEP_PAGES = 16;

type WordChange = readonly [seq: number, accountId: number, sku: number, removed: string, added: string];

/** The `sku` of a change that merges the whole index. */
const WHOLE_INDEX = 0;

export function wordIndex(connection: Connection) {
  const addChange = connection.query(`
    INSERT INTO word_change (account_id, sku, removed, added) VALUES (?, ?, ?, ?)`);
  const readChanges = connection.query<WordChange>(`
    SELECT seq, account_id, sku, removed, added FROM word_change ORDER BY seq LIMIT ${STEP_CHANGES}`);
  const dropChanges = connection.query('DELETE FROM word_change WHERE seq <= ?');
  const addWords = connection.query('INSERT INTO offer_words (rowid, words) VALUES (?, ?)');
  const removeWords = connection.query(`INSERT INTO offer_words (offer_words, rowid, words) VALUES ('delete', ?, ?)`);
  const mergePages = connection.query(`INSERT INTO offer_words (offer_words, rank) VALUES ('merge', ?)`);
  const countChanges = connection.query<[changes: number]>('SELECT total_changes()');

  /** Adds the difference of two lists of words to the queue. */
  function queueWords(accountId: number, sku: number, before: string, after: string): void {
    const [had, has] = [new Set(before.split(' ')), new Set(after.split(' '))];
    addChange.run(accountId, sku, spaced(had.difference(has)), spaced(has.difference(had)));
  }

  /** Indexes the next changes and merges a few pages, in the transaction of the caller. Returns `done` if almost no work is left. */
  function indexWords(): 'more' | 'done' {
    const changes = readChanges.all();
    const wholes = changes.findIndex(([, , sku]) => sku === WHOLE_INDEX);
    if (wholes === 0) {
      // Until it is merged, nothing is indexed, or the merge would start again.
      if (!merge(-STEP_PAGES)) dropChanges.run(changes[0]?.[0] as number);
      return 'more';
    }
    index(wholes === -1 ? changes : changes.slice(0, wholes));
    return merge(STEP_PAGES) || wholes !== -1 || changes.length === STEP_CHANGES ? 'more' : 'done';
  }

  function index(changes: readonly WordChange[]): void {
    const last = changes.at(-1);
    if (last === undefined) return;
    const bySku = Map.groupBy(changes, ([, , sku]) => sku);
    for (const [sku, own] of [...bySku].sort(([one], [other]) => one - other)) {
      const [removed, added] = netOf(own);
      if (removed !== '') removeWords.run(sku, removed);
      // Also without words: the index counts its rows, and refuses to remove more than were added.
      addWords.run(sku, added);
    }
    dropChanges.run(last[0]);
  }

  /** Returns whether anything was merged. A negative number merges all segments into one. */
  function merge(pages: number): boolean {
    const before = countChanges.get()?.[0] ?? 0;
    mergePages.run(pages);
    // The command itself counts as one change.
    return (countChanges.get()?.[0] ?? 0) - before > 1;
  }

  return { queueWords, indexWords };
}

/** Returns what several changes of an offer remove and add together, with the account before each word. */
function netOf(changes: readonly WordChange[]): readonly [removed: string, added: string] {
  const removed = new Set<string>();
  const added = new Set<string>();
  for (const [, , , gone, come] of changes) {
    for (const word of wordsIn(gone)) if (!added.delete(word)) removed.add(word);
    for (const word of wordsIn(come)) if (!removed.delete(word)) added.add(word);
  }
  const account = accountWord(changes[0]?.[1] as number, '');
  const indexed = (words: ReadonlySet<string>) => spaced([...words].map((word) => account + word));
  return [indexed(removed), indexed(added)];
}

function wordsIn(spacedWords: string): readonly string[] {
  return spacedWords.split(' ').slice(1);
}

function spaced(words: Iterable<string>): string {
  return Array.from(words, (word) => ` ${word}`).join('');
}
