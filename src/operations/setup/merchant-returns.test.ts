/** Tests the return settings of a merchant: reading, changing both environments, every limit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openAcmeContext, readAccountOf } from '../../../test/harness/setup-context.ts';
import { readBodyValue } from '../../domain/body-text.ts';
import { readMerchantReturns, setMerchantReturns } from './merchant-returns.ts';

const UNKNOWN = { code: 'merchant_unknown', field: '', message: 'No merchant "nobody".' } as const;

function body(days: unknown = 14, methods: unknown = ['Freight']) {
  return readBodyValue({ time_to_return_days: days, return_shipping_methods: methods });
}

describe('merchant-returns', () => {
  it('reads the stored settings', async (t) => {
    const context = await openAcmeContext(t);
    assert.deepEqual(await readMerchantReturns(context, 'acme'), {
      ok: true,
      value: {
        merchantId: 'acme',
        name: 'The acme company',
        timeToReturnDays: 30,
        returnShippingMethods: ['<carrier_2> Ground'],
      },
      ignored: [],
    });
    assert.deepEqual(await readMerchantReturns(context, 'nobody'), { ok: false, problems: [UNKNOWN], ignored: [] });
  });

  for (const days of [1, 30]) {
    it(`sets ${days} days in both environments, and counts two spellings of a method once`, async (t) => {
      const context = await openAcmeContext(t);
      const value = { timeToReturnDays: days, returnShippingMethods: ['<carrier_2> Ground'] };
      assert.deepEqual(await setMerchantReturns(context, 'acme', body(days, ['Acme Ground', '<carrier_2> Ground'])), {
        ok: true,
        value,
        ignored: [],
      });
      for (const environment of ['test', 'live'] as const) {
        const { timeToReturnDays, returnShippingMethods } = await readAccountOf(context, 'acme', environment);
        assert.deepEqual({ timeToReturnDays, returnShippingMethods }, value);
      }
    });
  }

  it('refuses all values beyond the bounds in one response, and changes nothing', async (t) => {
    const context = await openAcmeContext(t);
    for (const [days, code] of [
      [0, 'too_small'],
      [31, 'too_large'],
    ] as const) {
      assert.deepEqual(await setMerchantReturns(context, 'acme', body(days, [])), {
        ok: false,
        problems: [
          {
            code,
            field: '/time_to_return_days',
            message: 'time_to_return_days: must be an integer from 1 to 30',
          },
          {
            code: 'too_few',
            field: '/return_shipping_methods',
            message: 'return_shipping_methods: must have 1 to 3 entries',
          },
        ],
        ignored: [],
      });
    }
    assert.equal((await readAccountOf(context, 'acme', 'live')).timeToReturnDays, 30);
  });

  it('refuses an unknown merchant', async (t) => {
    const context = await openAcmeContext(t);
    assert.deepEqual(await setMerchantReturns(context, 'nobody', body()), {
      ok: false,
      problems: [UNKNOWN],
      ignored: [],
    });
  });
});
