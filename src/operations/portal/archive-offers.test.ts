/** Promise: of a selection each offer is archived by itself; what one of them meets, the others do not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { createBodyChecks } from '../../domain/bodies/all-bodies.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import { KNOWLEDGE } from '../../domain/review/testing/good-offer.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../../store/port/errors.ts';
import type { Context } from '../context.ts';
import { archiveOffers } from './archive-offers.ts';

const ACCOUNT = { ...KNOWLEDGE.account, accountId: 7 } as Account;
const NOT_STORED = 'The database is unavailable, and the change may not have been stored. Retry shortly.';

/** A store with the given outcome for some SKUs: an error, or unknown. It archives all others. */
function archive(skus: readonly string[], outcomes: Readonly<Record<string, Error | 'unknown'>>) {
  const setArchived = async ({ skuId }: { skuId: string }) => {
    const outcome = outcomes[skuId] ?? 'stored';
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const names = new Names(NEUTRAL_NAMES);
  const context = {
    store: { offers: { setArchived } },
    bodies: createBodyChecks(names, KNOWLEDGE.taxonomy),
    names,
    nowMs: () => 5,
    onOfferWritten: () => {},
  } as unknown as Context;
  const body: SentBody = { value: { skus, archived: true }, problems: [] };
  return archiveOffers(context, ACCOUNT, body, 'person:ann@shop.example');
}

describe('archiving a selection', () => {
  it('says which offers failed, by the store too, and how many are done', async () => {
    const outcome = await archive(['a', 'gone', 'b', 'busy', 'a', 'c'], {
      gone: 'unknown',
      b: new StoreUnavailableError('down'),
      busy: new StoreOverloadedError('full'),
    });
    assert.ok(outcome.ok);
    const { done, failed } = outcome.value;
    assert.equal(done, 2);
    assert.deepEqual(
      failed.map(({ skuId, problems }) => [skuId, problems.map(({ message }) => message)]),
      [
        ['gone', ['SKU gone not found.']],
        ['b', [NOT_STORED]],
        ['busy', [NOT_STORED]],
      ],
    );
  });

  it('fails where the store takes none of them', async () => {
    const down = new StoreUnavailableError('down');
    await assert.rejects(archive(['a', 'b'], { a: down, b: down }), down);
  });

  it('does not hide a fault of this program', async () => {
    const bug = new TypeError('bug');
    await assert.rejects(archive(['a', 'b'], { b: bug }), bug);
  });
});
