/** Tests adding and listing return locations: every limit, and both environments or neither. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openAcmeContext, readAccountOf } from '../../../test/harness/setup-context.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { addReturnLocation } from './add-return-location.ts';
import type { SetupContext } from './merchant-accounts.ts';
import { readTarget, type SetupTarget } from './merchant-accounts.ts';

const BOTH = { merchantId: 'acme', environments: ['test', 'live'] } as const;
const TEST = { merchantId: 'acme', environments: ['test'] } as const;
const LOCATIONS_MAX = 1000;

function body(locationId: unknown = 'returns-east') {
  return readBodyValue({ return_location_id: locationId });
}

async function locationsOf({ store }: SetupContext, target: SetupTarget) {
  const found = await readTarget(store, target);
  if (!found.ok) return found;
  const value = found.value.map(({ environment, returnLocationIds }) => ({
    environment,
    locationIds: [...returnLocationIds],
  }));
  return { ...found, value };
}

function listed(test: readonly string[], live: readonly string[]) {
  const value = [
    { environment: 'test', locationIds: test },
    { environment: 'live', locationIds: live },
  ];
  return { ok: true, value, ignored: [] };
}

describe('return locations', () => {
  it('are added to both environments or to one, and listed in order of id', async (t) => {
    const context = await openAcmeContext(t);
    assert.deepEqual(await locationsOf(context, BOTH), listed([], []));
    assert.deepEqual(await addReturnLocation(context, BOTH, body('west')), { ok: true, value: 'west', ignored: [] });
    assert.deepEqual(await addReturnLocation(context, TEST, body('east')), { ok: true, value: 'east', ignored: [] });
    assert.deepEqual(await locationsOf(context, BOTH), listed(['east', 'west'], ['west']));
    assert.deepEqual(await locationsOf(context, TEST), {
      ok: true,
      value: [{ environment: 'test', locationIds: ['east', 'west'] }],
      ignored: [],
    });
  });

  for (const id of ['e', '📦'.repeat(64), '..']) {
    it(`may have the id ${JSON.stringify(id)}`, async (t) => {
      const context = await openAcmeContext(t);
      assert.ok((await addReturnLocation(context, TEST, body(id))).ok);
      assert.deepEqual(await locationsOf(context, BOTH), listed([id], []));
    });
  }

  for (const [what, id, code, text] of [
    ['an empty id', '', 'too_short', 'must have 1 to 64 characters'],
    ['an id of 65 code points', '📦'.repeat(65), 'too_long', 'must have 1 to 64 characters'],
    ['no id', undefined, 'required', 'is required'],
    ['an id with NUL', 'a\0', 'forbidden_character', 'must not contain NUL characters or unpaired surrogates'],
  ] as const) {
    it(`are refused with ${what}`, async (t) => {
      const context = await openAcmeContext(t);
      assert.deepEqual(await addReturnLocation(context, BOTH, readBodyValue({ return_location_id: id })), {
        ok: false,
        problems: [{ code, field: '/return_location_id', message: `return_location_id: ${text}` }],
        ignored: [],
      });
      assert.deepEqual(await locationsOf(context, BOTH), listed([], []));
    });
  }

  it('are refused if they exist in one environment, and then added to neither', async (t) => {
    const context = await openAcmeContext(t);
    await addReturnLocation(context, TEST, body());
    assert.deepEqual(await addReturnLocation(context, BOTH, body()), {
      ok: false,
      problems: [
        {
          code: 'return_location_exists',
          field: '/return_location_id',
          message: 'return_location_id: already exists in test',
        },
      ],
      ignored: [],
    });
    assert.deepEqual(await locationsOf(context, BOTH), listed(['returns-east'], []));
  });

  it('are limited to 1,000 per account', async (t) => {
    const context = await openAcmeContext(t);
    const { accountId } = await readAccountOf(context, 'acme', 'live');
    for (let i = 1; i < LOCATIONS_MAX; i++) await context.store.settings.addReturnLocation(accountId, `returns-${i}`);
    assert.ok((await addReturnLocation(context, BOTH, body())).ok);
    assert.deepEqual(await addReturnLocation(context, BOTH, body('one-more')), {
      ok: false,
      problems: [
        {
          code: 'return_locations_full',
          field: '',
          message: 'Limit reached: the merchant has 1000 return locations in live. Remove one first.',
        },
      ],
      ignored: [],
    });
    assert.equal((await readAccountOf(context, 'acme', 'test')).returnLocationIds.size, 1);
  });

  it('of an unknown merchant are refused, along with every other problem', async (t) => {
    const context = await openAcmeContext(t);
    const nobody = { ...BOTH, merchantId: 'nobody' };
    const unknown = { code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' };
    assert.deepEqual(await addReturnLocation(context, nobody, body(7)), {
      ok: false,
      problems: [
        {
          code: 'wrong_type',
          field: '/return_location_id',
          message: 'return_location_id: must be a string, not a number',
        },
        unknown,
      ],
      ignored: [],
    });
    assert.deepEqual(await locationsOf(context, nobody), { ok: false, problems: [unknown], ignored: [] });
  });
});
