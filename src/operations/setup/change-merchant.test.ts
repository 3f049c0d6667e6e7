/** Tests adding merchants: what is stored, every limit, every refusal. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentials, NOW_MS, openSetupContext, readAccountOf } from '../../../test/harness/setup-context.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { addMerchant } from './change-merchant.ts';

describe('add-merchant', () => {
  it('stores a merchant with both accounts, both credential sets and the defaults', async (t) => {
    const context = await openSetupContext(t);
    const sets = credentials('acme');
    const added = await addMerchant(context, readBodyValue({ merchant_id: 'acme', name: 'Acme Inc.' }), sets);
    assert.deepEqual(added, {
      ok: true,
      value: {
        merchantId: 'acme',
        name: 'Acme Inc.',
        timeToReturnDays: 30,
        returnShippingMethods: ['<carrier_2> Ground'],
        credentials: sets,
      },
      ignored: [],
    });
    const stored = await context.store.settings.readMerchant('acme');
    assert.ok(stored);
    const { accounts, ...rest } = stored;
    assert.deepEqual(rest, {
      merchantId: 'acme',
      name: 'Acme Inc.',
      createdMs: NOW_MS,
      suspended: false,
      timeToReturnDays: 30,
      returnShippingMethods: ['<carrier_2> Ground'],
      unfinished: null,
    });
    for (const environment of ['test', 'live'] as const) {
      assert.deepEqual(await readAccountOf(context, 'acme', environment), {
        accountId: accounts[environment],
        merchantId: 'acme',
        environment,
        suspended: false,
        nodes: new Map(),
        returnLocationIds: new Set(),
        timeToReturnDays: 30,
        returnShippingMethods: ['<carrier_2> Ground'],
      });
      const credential = await context.store.settings.readCredentialOfUser(sets[environment].user);
      assert.equal(credential?.accountId, accounts[environment]);
    }
  });

  for (const [what, sent, stored] of [
    ['the shortest id, name and time to return', { merchant_id: 'a', name: 'N', time_to_return: 1 }, {}],
    ['the longest id', { merchant_id: `a${'-9'.repeat(31)}z`, name: 'N' }, {}],
    ['a name of 100 code points', { merchant_id: 'a', name: '🏬'.repeat(100) }, {}],
    ['the longest time to return', { merchant_id: 'a', name: 'N', time_to_return: 30 }, {}],
    ['null as absent', { merchant_id: 'a', name: 'N', time_to_return: null, return_shipping_methods: null }, {}],
    [
      'every return method',
      { merchant_id: 'a', name: 'N', return_shipping_methods: ['<carrier_4> Ground', 'Acme Ground', 'Freight'] },
      { returnShippingMethods: ['<carrier_4> Ground', '<carrier_2> Ground', 'Freight'] },
    ],
    [
      'a method given in both spellings, stored once',
      { merchant_id: 'a', name: 'N', return_shipping_methods: ['Acme Ground', '<carrier_2> Ground'] },
      { returnShippingMethods: ['<carrier_2> Ground'] },
    ],
  ] as const) {
    it(`takes ${what}`, async (t) => {
      const context = await openSetupContext(t);
      const added = await addMerchant(context, readBodyValue(sent), credentials('a'));
      assert.ok(added.ok);
      const account = await readAccountOf(context, sent.merchant_id, 'live');
      assert.deepEqual(
        {
          name: added.value.name,
          timeToReturnDays: account.timeToReturnDays,
          returnShippingMethods: account.returnShippingMethods,
        },
        {
          name: sent.name,
          timeToReturnDays: ('time_to_return' in sent ? sent.time_to_return : null) ?? 30,
          returnShippingMethods: ['<carrier_2> Ground'],
          ...stored,
        },
      );
    });
  }

  const ID_RULE = 'must be 1 to 64 lower-case letters, digits or hyphens, a letter first';
  const NAME_RULE = 'must have 1 to 100 characters';
  const DAYS_RULE = 'must be an integer from 1 to 30';
  for (const [what, sent, code, field, text] of [
    ['an empty id', { merchant_id: '' }, 'bad_format', 'merchant_id', ID_RULE],
    ['an id of 65 characters', { merchant_id: 'a'.repeat(65) }, 'bad_format', 'merchant_id', ID_RULE],
    ['an id with a digit first', { merchant_id: '7up' }, 'bad_format', 'merchant_id', ID_RULE],
    ['an id with a capital', { merchant_id: 'Acme' }, 'bad_format', 'merchant_id', ID_RULE],
    ['an id with a line break', { merchant_id: 'acme\n' }, 'bad_format', 'merchant_id', ID_RULE],
    ['an empty name', { name: '' }, 'too_short', 'name', NAME_RULE],
    ['a name of 101 code points', { name: '🏬'.repeat(101) }, 'too_long', 'name', NAME_RULE],
    ['a blank name', { name: ' \t' }, 'bad_format', 'name', 'must not be blank'],
    ['no days', { time_to_return: 0 }, 'too_small', 'time_to_return', DAYS_RULE],
    ['31 days', { time_to_return: 31 }, 'too_large', 'time_to_return', DAYS_RULE],
    [
      'a day and a half',
      { time_to_return: 1.5 },
      'wrong_type',
      'time_to_return',
      `${DAYS_RULE}, not a number with a fraction`,
    ],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const context = await openSetupContext(t);
      const body = readBodyValue({ merchant_id: 'acme', name: 'Acme Inc.', ...sent });
      assert.deepEqual(await addMerchant(context, body, credentials('acme')), {
        ok: false,
        problems: [{ code, field: `/${field}`, message: `${field}: ${text}` }],
        ignored: [],
      });
      assert.deepEqual(await context.store.settings.listMerchants(), []);
    });
  }

  it('reports every problem at once', async (t) => {
    const context = await openSetupContext(t);
    const body = readBodyValue({
      merchant_id: null,
      name: 'Ac\0me',
      time_to_return: '14',
      return_shipping_methods: ['Freight', 'Acme 2 Day', 'Pigeon'],
    });
    const refused = await addMerchant(context, body, credentials('acme'));
    const methodRule = 'must be one of: Freight, Acme Ground, <carrier_4> Ground';
    assert.deepEqual(refused, {
      ok: false,
      problems: [
        {
          code: 'forbidden_character',
          field: '/name',
          message: 'name: must not contain NUL characters or unpaired surrogates',
        },
        { code: 'required', field: '/merchant_id', message: 'merchant_id: is required' },
        {
          code: 'wrong_type',
          field: '/time_to_return',
          message: 'time_to_return: must be an integer from 1 to 30, not a string',
        },
        {
          code: 'not_allowed',
          field: '/return_shipping_methods/1',
          message: `return_shipping_methods[1]: ${methodRule}`,
        },
        {
          code: 'not_allowed',
          field: '/return_shipping_methods/2',
          message: `return_shipping_methods[2]: ${methodRule}`,
        },
      ],
      ignored: [],
    });
  });

  it('refuses an empty and an overlong list of return methods', async (t) => {
    const context = await openSetupContext(t);
    const problemsOf = async (methods: readonly string[]) => {
      const sent = { merchant_id: 'acme', name: 'Acme', return_shipping_methods: methods };
      const refused = await addMerchant(context, readBodyValue(sent), credentials('acme'));
      return refused.ok ? [] : refused.problems;
    };
    const rest = { field: '/return_shipping_methods', message: 'return_shipping_methods: must have 1 to 3 entries' };
    assert.deepEqual(await problemsOf([]), [{ code: 'too_few', ...rest }]);
    assert.deepEqual(await problemsOf(Array(4).fill('Freight')), [{ code: 'too_many', ...rest }]);
  });

  it('refuses an id that already exists, and does not change its merchant', async (t) => {
    const context = await openSetupContext(t);
    await addMerchant(context, readBodyValue({ merchant_id: 'acme', name: 'First' }), credentials('one'));
    const second = readBodyValue({ merchant_id: 'acme', name: 'Second' });
    assert.deepEqual(await addMerchant(context, second, credentials('two')), {
      ok: false,
      problems: [{ code: 'merchant_exists', field: '/merchant_id', message: 'merchant_id: already exists' }],
      ignored: [],
    });
    assert.equal((await context.store.settings.readMerchant('acme'))?.name, 'First');
    assert.equal(await context.store.settings.readCredentialOfUser('two-test-user'), undefined);
  });

  it('reports unknown fields', async (t) => {
    const context = await openSetupContext(t);
    const body = readBodyValue({ merchant_id: 'acme', name: 'Acme', nmae: 'Acme' });
    const added = await addMerchant(context, body, credentials('acme'));
    assert.deepEqual([added.ok, added.ignored], [true, ['/nmae']]);
  });
});
