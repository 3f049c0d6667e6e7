/** Tests that no caller of CategoryModels waits for a model. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { BOOK, GARLIC, POTS } from '../domain/review/testing/good-offer.ts';
import { CategoryModels } from './category-models.ts';

const HOUR_MS = 3_600_000;

type Page = readonly { readonly code: string; readonly title: string; readonly categoryId: number }[];

function open() {
  const state = { nowMs: 0, pages: [] as PromiseWithResolvers<Page>[], failures: [] as unknown[] };
  const models = new CategoryModels({
    store: {
      readProductPage() {
        const page = Promise.withResolvers<Page>();
        state.pages.push(page);
        return page.promise as never;
      },
    },
    rules: { taxonomy: { current: { tree: BOOK } as never } },
    nowMs: () => state.nowMs,
    onFailure: (error) => state.failures.push(error),
  });
  const guess = (word: string) => models.guess('live')?.([word], () => true);
  return { state, models, guess };
}

const titled = (title: string, categoryId: number): Page => [{ code: 'gtin:1', title, categoryId }];

describe('models that guess categories', () => {
  it('guess once they are trained, and until a newer one is', async () => {
    const { state, models, guess } = open();
    assert.equal(guess('skillet'), undefined);
    assert.equal(guess('skillet'), undefined);
    assert.equal(state.pages.length, 1, 'trained once');
    state.pages[0]?.resolve(titled('Skillet', POTS));
    await waitUntil('a model', 5_000, async () => models.guess('live'));
    assert.equal(guess('skillet'), POTS);
    state.nowMs += HOUR_MS + 1;
    assert.equal(guess('skillet'), POTS, 'by the last model');
    assert.equal(state.pages.length, 2);
    state.pages[1]?.resolve(titled('Skillet', GARLIC));
    await waitUntil('a newer model', 5_000, async () => guess('skillet') === GARLIC || undefined);
    assert.equal(state.pages.length, 2);
  });

  it('are trained again a minute after a failure, which is reported', async () => {
    const { state, models, guess } = open();
    assert.equal(guess('skillet'), undefined);
    state.pages[0]?.reject(new Error('down'));
    await waitUntil('the failure', 5_000, async () => state.failures.length || undefined);
    assert.equal(guess('skillet'), undefined);
    assert.equal(state.pages.length, 1, 'too early');
    state.nowMs += 60_000;
    assert.equal(guess('skillet'), undefined);
    state.pages[1]?.resolve(titled('Skillet', POTS));
    await waitUntil('a model', 5_000, async () => models.guess('live'));
    assert.deepEqual([guess('skillet'), state.failures.length], [POTS, 1]);
  });

  it('are trained no more once they are closed, which waits for the page that is read', async () => {
    const { state, models, guess } = open();
    assert.equal(guess('skillet'), undefined);
    let isClosed = false;
    const closed = models.close().then(() => {
      isClosed = true;
    });
    await setImmediate();
    assert.equal(isClosed, false);
    state.pages[0]?.resolve(Array.from({ length: 500 }, () => titled('Skillet', POTS)).flat());
    await closed;
    assert.equal(state.pages.length, 1, 'no further page');
    state.nowMs += HOUR_MS + 1;
    assert.equal(guess('skillet'), POTS);
    assert.deepEqual([state.pages.length, state.failures], [1, []]);
  });
});
